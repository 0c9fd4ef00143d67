"""memdown in the settings of assistants and of git: put in beside what is there, and taken out to the byte."""

from memdown.install.parts import Command as Command
from memdown.install.parts import command as command
from memdown.install.plan import Installer as Installer
from memdown.install.plan import Plan as Plan
from memdown.install.plan import Shown as Shown
from memdown.install.plan import chosen as chosen
