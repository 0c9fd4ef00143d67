"""What `./prove` runs: each module attacks memdown in one way, and says how often and what did not hold."""
