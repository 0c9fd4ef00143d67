"""Dates as banks spell them, and text that stands where a person should still write something."""

from memdown.dialects.days import PERIOD as PERIOD
from memdown.dialects.days import STAMP as STAMP
from memdown.dialects.days import STAMP_PATTERN as STAMP_PATTERN
from memdown.dialects.days import days_come_first as days_come_first
from memdown.dialects.days import is_to_come as is_to_come
from memdown.dialects.days import moment as moment
from memdown.dialects.days import stamp as stamp
from memdown.markdown.placeholders import BLANK_STAMP as BLANK_STAMP
from memdown.markdown.placeholders import is_empty as is_empty
from memdown.markdown.placeholders import is_placeholder as is_placeholder
