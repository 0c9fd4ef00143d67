"""Whether claims hold: each is looked up in the working tree, and what is not there in git's history.

An alarm needs proof. What git shows to have been so once, and is not so now, is moved, changed or gone; what never was
so, or cannot be asked, is unknown, with the reason. Without a whole history the working tree alone decides.
"""
