"""Words that say nothing, or little, of what a text is about."""

STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being below between both but
    by can could did do does doing done down during each either else ever every few for from further get gets got had
    has have having he her here hers herself him himself his how however i if in into is it its itself just let like
    made make makes many may me might more most much must my myself need needs neither no nor not now of off on once
    one only or other our ours ourselves out over own per please rather really same she should since so some still
    such than that the their theirs them themselves then there these they thing things this those through thus to too
    two under until up upon us use used uses using very via was way we well were what when where whether which while
    who whom whose why will with within without would yes yet you your yours yourself yourselves ve ll re don isn
    doesn didn won wasn aren couldn shouldn wouldn""".split()
)
"""English words that stand in any text."""

BASIC = frozenset(
    """added bash branch branches build builds class classes conflict conflicts console debug debugging
    dependencies dependency directory folder folders import imports install integer javascript js linting list
    lists main master match matches method methods newline npm output pr prettier print prints programming prs
    python quote
    quotes readme red regex repo repository request requests review reviewed ruby rust screenshot script
    scripts single stash statement statements string strings testing trailing type typeerror types
    typescript undefined untracked unused valid value values variables warnings whitespace yaml""".split()
)
"""Words of any code base: a record is about them only where its name has them, or beside a word that tells more."""
