"""Words to leave out: a user's own, so many of the most frequent, or the small words of a language.

The lists hold what grammar needs and topics do not: articles, pronouns, prepositions, conjunctions
and auxiliaries. Words that negate are not among them, since they turn what is said around.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from nabi.base.checks import as_whole, whole_number
from nabi.errors import RecipeError

LISTS = {
    "danish": """
        af alle alt anden at begge blev blive bliver da de dem den denne der deres det dette dig din
        dine disse dit du efter eller en end er et for fra før ham han hans har havde have hende
        hendes her hos hun hvad hvem hver hvilken hvis hvor hvordan hvornår i imellem ind jeg jer
        jeres jo kan kun kunne man mange med mellem men mens mig min mine mit mod må måtte ned noget
        nogle nogen når og også om op os over på samme sig sin sine sit skal skulle som så sådan til
        ud under var ved vi vil ville vor vore være været
    """,
    "dutch": """
        aan af al alle als ander andere bent bij daar dan dat de deze die dit doch door dus een en
        er even haar had hadden heb hebben hebt heeft hem het hier hij hoe hun ik in is ja je jij
        jou jouw jullie kan kon kunnen maar me men met mij mijn moest moet moeten na naar nog nu of
        om omdat ons onze ook op over sinds te tegen ten ter terwijl toch toen tot u uit uw van voor
        waar waarom wanneer want waren was wat we wel welke werd werden wie wij wil worden wordt zal
        ze zich zij zijn zo zou zouden zullen
    """,
    "english": """
        a about above after again all also am among an and another any are around as at be because
        been before being below between both but by can could did do does doing down during each
        either every few for from further had has have having he her here hers herself him himself
        his how i if in into is it its itself just may me might mine more most much must my myself
        of off on once one only onto or other our ours ourselves out over own same shall she should
        since so some such than that the their theirs them themselves then there these they this
        those through to too toward towards under until up upon us very was we were what when where
        which while who whom whose why will with within would you your yours yourself yourselves i'm
        i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll
        we're we've we'd we'll they're they've they'd they'll that's there's here's what's who's
        where's how's let's
    """,
    "french": """
        à afin ai aie ainsi alors après as au aura aurait aussi autre autres aux avaient avais avait
        avant avec avez avions avoir avons ayant c car ce ceci cela celle celles celui cet cette
        ceux chaque chez comme comment d dans de depuis des dès donc dont du elle elles en encore
        entre es est et étaient étais était étant été être eu eux fait font furent fut ici il ils j
        je jusque l la là laquelle le lequel les lesquels leur leurs lors lorsque lui m ma mais me
        même mêmes mes mien moi moins mon nos notre nous on ont or ou où par parce parmi pendant peu
        peut plus pour pourquoi puis qu quand que quel quelle quelles quels qui quoi s sa se sera
        serait ses si sien soi soit son sont sous suis sur t ta tandis te tes toi ton tous tout
        toute toutes très tu un une vers voici voilà vos votre vous y
    """,
    "german": """
        ab aber alle allem allen aller alles als also am an ander andere anderen anderer auch auf
        aus bei beim bevor bin bis bist da dabei dadurch dafür damit danach dann darauf daran das
        dass davon dazu dein deine deinem deinen deiner dem den denen denn der deren derer des
        dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem
        einen einer eines er es etwas euch euer eure für gegen gewesen hab habe haben hast hat hatte
        hatten hätte hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja
        jede jedem jeden jeder jedes jene jener kann können könnte mal man manche mein meine meinem
        meinen meiner mich mir mit muss musste müssen nach neben noch nun nur ob oder sehr sein
        seine seinem seinen seiner seit selbst sich sie sind so solche soll sollte sondern sonst
        über um und uns unser unsere unter viel vom von vor wann war waren warst warum was weil
        welche welchem welchen welcher wem wen wenn wer werde werden wie wieder will wir wird wo
        wollen wollte worden wurde wurden würde würden zu zum zur zwar zwischen
    """,
    "italian": """
        a abbia abbiamo ad agli ai al alla alle allo altra altre altri altro anche ancora avere
        aveva avevano avete c che chi ci cioè coi col come con contro cui d da dagli dai dal dalla
        dalle dallo degli dei del dell della delle dello dentro di dopo dove e è ebbe ed era erano
        essa esse essendo essere essi esso fa fino fra fu furono già gli ha hai hanno ho i il in io
        l la le lei li lo loro lui ma me mentre mi mia mie miei mio molto ne negli nei nel nella
        nelle nello noi nostra nostri nostro o ogni oltre per perché però più poi presso qua quale
        quali qualche quando quanto quel quella quelle quelli quello questa queste questi questo qui
        s sarà sarebbe se sei si sia siamo siano siete sono sopra sotto sta stata state stati stato
        su sua sue sugli sui sul sulla sulle suo suoi te ti tra tu tua tue tuo tuoi tutta tutte
        tutti tutto un una uno v verso vi voi vostra vostri vostro
    """,
    "norwegian": """
        alle alt andre annen at av bare begge ble bli blir blitt da de deg dem den denne der deres
        det dette din dine disse ditt du eller en enn er et ett etter for fra før gjennom ha hadde
        han hans har hennes her hos hun hva hvem hver hvilken hvis hvor hvordan hvorfor i inn jeg
        kan kun kunne man mange med meg mellom men mens mer mest min mine mitt mot må måtte ned noe
        noen nå når og også om opp oss over på samme seg selv sin sine sitt skal skulle slik som så
        til under ut var ved vi vil ville vår våre være vært å
    """,
    "polish": """
        a albo ale aż będą będzie bo by był była było byli być byłem byłam ci ciebie co czy dla do
        dlatego dlaczego gdy gdyby gdzie go i ich ile im inne inny innych ja jak jaka jaki jakie
        jako je jeden jednak jego jej jemu jest jestem jeszcze jeśli jeżeli już każda każdy każde
        kiedy kto która które którego której który których którzy lub ma mają mam mi mieć miał mnie
        mną moja moje może mój mu my na nad nam nami nas nasz nasza nasze nawet nią nich niego niej
        niemu nim nimi niż no o od on ona one oni ono oraz po pod podczas ponad ponieważ potem poza
        przed przez przy są się siebie sobie swoja swoje swój ta tak taka taki takie także tam te
        tego tej temu ten to tobie tu tutaj twoja twoje twój tych tylko tym u w wam was wasz we więc
        według wszyscy wszystkie wszystko wy z za ze że żeby
    """,
    "portuguese": """
        a à ainda além algum alguma algumas alguns ante antes ao aos após aquela aquelas aquele
        aqueles aqui aquilo as às até cada com como contra cujo da daquele daquela das de dela dele
        deles depois desde dessa desse desta deste do dos durante e é ela elas ele eles em enquanto
        entre era eram és essa essas esse esses esta está estamos estão estar estas estava estavam
        este estes estou eu foi fomos for foram fosse há isso isto já la lhe lhes lo logo mais mas
        me mesma mesmo meu meus minha minhas muito na nas nela nele nessa nesse nesta neste no nos
        nós nossa nossas nosso nossos num numa o onde os ou outra outras outro outros para pela
        pelas pelo pelos perante pois por porque porém pouco qual quais quando quanto que quem se
        seja ser será seria seu seus si sido só sob sobre somos sou sua suas também tanto te tem têm
        temos tendo tenha tenho ter teu teus teve ti tinha tinham toda todas todo todos tu tua tuas
        tudo um uma umas uns você vocês vos vós
    """,
    "russian": """
        а более бы был была были было быть в вам вами вас ваш ваша ваше ваши весь во вот все всего
        всей всем всех всё вы где да даже для до его ему если есть ещё еще ею её ее же за здесь и из
        изо или им ими их к как какая какие какой когда ко которая которого которое которой которую
        который которые которых кто куда ли лишь между меня мне мной мог может можно мои мой моя моё
        мы на над надо нам нами нас наш наша наше наши него ней нем нему неё нее них ним ними но ну
        о об однако он она они оно от перед по под поэтому после потом потому почему при про с сам
        сама сами само свои свой своя своего своей своих себе себя со собой так такая такие такой
        там твой твоя те тебе тебя тем то тобой тогда того тоже той только том тот ту тут ты у уже
        хотя чего чем чему через что чтобы чья эта эти этим этих это этого этой этом этот эту я
    """,
    "spanish": """
        a además ahí al algo algún alguna algunas alguno algunos ante antes aquel aquella aquellas
        aquellos aquí así aún aunque bajo bien cada como cómo con contra cual cuál cuales cualquier
        cuando cuándo cuanto cuyo da de del desde después donde dónde durante e el él ella ellas
        ellos en entre era eran eres es esa esas ese eso esos esta está estaba estaban estamos están
        estar estas este esto estos estoy fue fueron ha había habían haber habrá hace hacia han
        hasta hay he hemos incluso la las le les lo los luego mas más me mi mí mía mientras mío mis
        misma mismo mucha mucho muchos muy nos nosotros nuestra nuestras nuestro nuestros o os otra
        otras otro otros para pero poco por porque pues que qué quien quién quienes se sea según ser
        será si sí sido siendo sino sobre sois solo sólo somos son soy su sus suya suyo también tan
        tanto te tendrá tenemos tener tenga tengo tenía ti tiene tienen toda todas todavía todo
        todos tras tu tú tus tuya tuyo u un una unas uno unos usted ustedes vosotros vuestra vuestro
        y ya yo
    """,
    "swedish": """
        alla allt andra annan att av bara bli blev blir blivit båda de dem den denna deras dess
        dessa det detta dig din dina ditt du där då efter eller en er era ert ett från för före
        genom ha hade han hans har henne hennes hon honom hos hur här i in innan jag ju kan kunde
        kunna man med medan mellan men mer mest mig min mina mitt mot mycket måste ned ni nu någon
        något några när och också om oss på samma sedan sig sin sina sitt själv ska skall skulle som
        så sådan till under upp ur ut vad var vara varför varit varje vem vi vid vilka vilken vilket
        vill än är åt över
    """,
    "turkish": """
        acaba ama ancak aslında az bana bazı belki ben benden beni benim beri bile bir birkaç biri
        birçok biz bizden bize bizi bizim böyle bu buna bunda bundan bunlar bunu bunun burada bütün
        çok çünkü da daha de defa diğer diye dolayı en fakat gene gibi göre hangi hem hep hepsi her
        hâlâ için içinde ile ilgili ise işte kadar karşı kendi kendine kez ki kim kime kimse mi mu
        mü mı nasıl ne neden nerede nereye niçin niye o olan olarak oldu olduğu olmak olur ona ondan
        onlar onlardan onları onların onu onun orada önce öyle pek rağmen sadece sana sanki sen
        senden seni senin siz sizden sizi sizin sonra şey şimdi şöyle şu şuna şunu tüm üzere var ve
        veya ya yani yine zaten
    """,
}


def stop_words_of(given: object, lowercase: bool, form: Any) -> tuple[str, ...] | int | None:
    """The words as they stand in a text, or a number as it is; None for none."""
    if given is None:
        return None
    words = _words(given)
    if isinstance(words, int):
        return whole_number("stop_words", words, 0, 2**31, error=RecipeError) or None
    if any(0xD800 <= ord(c) < 0xE000 for word in words for c in word):
        raise RecipeError("stop_words hold a lone surrogate, which no text has; leave it out")
    if form is not None:
        words = [unicodedata.normalize(form, word) for word in words]
    return tuple(sorted({word.lower() if lowercase else word for word in words})) or None


def _words(given: object) -> list[str] | int:
    wanted = (
        f"stop_words={given!r}; expected a list of words, how many of the most frequent, or a "
        f"language: {', '.join(LISTS)}"
    )
    if isinstance(given, str):
        if given not in LISTS:
            raise RecipeError(wanted)
        return LISTS[given].split()
    if not isinstance(given, Iterable):
        number = as_whole(given)
        if number is None:
            raise RecipeError(wanted)
        return number
    if isinstance(given, Iterator):
        raise RecipeError(
            f"stop_words is a {type(given).__name__}, read once and gone; give a list"
        )
    words = list(given)
    if not all(isinstance(word, str) for word in words):
        raise RecipeError(wanted)
    return words
