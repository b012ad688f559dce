"""Words that carry no meaning of their own, in four languages. Data only."""

from __future__ import annotations

STOPWORDS = frozenset(
    """
    a about above across after again against all almost along also although always am among
    an and another any anybody anyone anything are aren't around as at away back be became
    because been before being below between both but by came can can't cannot come comes
    could couldn't did didn't do does doesn't doing don't done down during each either else
    enough especially even ever every everything exactly few for from further gave get gets
    give given gives go goes going got had has have having he her here hers herself him
    himself his how however i if in into is isn't it it's its itself just kind let like made
    make makes making many may me might mine more most much must my myself near need needs
    neither no nor not nothing now of off often on once one only onto or other others our
    ours out over own per perhaps please put quite rather really same say says see seem
    seems shall she should since so some somebody someone something sort still such take
    takes taken tell than that that's the their theirs them themselves then there these they
    thing things this those though through thus to together too toward towards under until
    up upon us use used uses using very via want was way we well went were what what's
    whatever when where whether which while who whom whose why will with within without
    would yes yet you your yours ought according name named call called happen happened
    mention mentioned page pages site website article answer question find found describe
    described state stated said
    """.split()  # noqa: SIM905 - a word a line would fill ten screens
)
"""English function words, and verbs that questions put in: named, called, mentioned."""

FOREIGN_STOPWORDS = frozenset(
    """
    der die das den dem des ein eine einen einem einer eines und oder aber nicht mit von vom
    zum zur im am ans ist sind war waren wird werden wurde wurden hat haben hatte auf aus
    bei bis durch für gegen ohne um unter über vor nach seit sich sie er es wir ihr man auch
    noch nur schon sehr als wie wenn wo wer wen wem was wann warum welche welcher welches
    welchem welchen wieviel viel viele kann können muss müssen soll darf el la los las un
    una unos unas y o pero no con de del al en son era eran fue fueron ser hay ha han se su
    sus le les lo por para que qué quién quien quiénes cuándo cuando dónde donde cómo como
    cuánto cuánta cuántos cuántas cuál cuáles qual más muy sin sobre entre desde hasta tiene
    tienen une du et ou mais ne pas avec dans est sont était étaient être a ont il elle ils
    elles on sa ses par pour qui quoi quel quelle quels quelles quand où comment combien
    plus très sans sur sous depuis
    """.split()  # noqa: SIM905 - a word a line would fill ten screens
)
"""Function words of German, Spanish and French."""
