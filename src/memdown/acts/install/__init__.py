"""memdown in the settings of assistants and of git: put in beside what is there, and taken out to the byte."""

from memdown.acts.install.parts import Command as Command
from memdown.acts.install.parts import command as command
from memdown.acts.install.plan import Installer as Installer
from memdown.acts.install.plan import InstallPlan as InstallPlan
from memdown.acts.install.plan import ShownChange as ShownChange
from memdown.acts.install.plan import chosen as chosen
