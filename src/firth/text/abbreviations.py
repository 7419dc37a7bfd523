"""Abbreviations, ordinals and first words of sentences, by language: data for `sentence_ends`.

Written for firth from the usage of each language; entries are in lower case, without their last full stop and without
the spaces inside (`z. B.` is `z.b`). A language that is not here has the rules that are common to all.
"""

from dataclasses import dataclass
from functools import cache, cached_property

from firth.text.language_codes import language_code


@dataclass(frozen=True)
class Abbreviations:
    """What may stand before a full stop that ends no sentence.

    Attributes:
        never: hardly ever the last word: titles before names, `e.g.`.
        numbers: no last word where a number follows: `p. 12`.
        maybe: last word only if the next one is among `starters`: `Inc.`, `etc.`.
        starters: capitalised words that often begin a sentence, and hardly ever anything else.
        months: names of months, as they follow the number of a day.
        ordinals: whether a number with a full stop is an ordinal: `der 3. Oktober`.
    """

    never: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    maybe: frozenset[str] = frozenset()
    starters: frozenset[str] = frozenset()
    months: frozenset[str] = frozenset()
    ordinals: bool = False

    @cached_property
    def all(self) -> frozenset[str]:
        """The abbreviations of all three kinds."""
        return self.never | self.numbers | self.maybe


# code: (never, numbers, maybe, starters); "+" after the code: a number with a full stop is an ordinal.
_TABLE = {
    "en": (
        "mr mrs ms messrs mme mlle dr st ste prof rev hon gen col capt lt sgt maj cmdr gov sen rep pres supt esq "
        "mt ft vs viz cf i.e e.g eg ie approx dept univ assn bros",
        "no nos vol vols ch chap p pp fig figs art sec ver op jan feb mar apr jun jul aug sept sep oct nov dec ca "
        "c ext para tel ph eq eqs ed nr mon tue tues thu thur thurs fri",
        "al inc ltd corp co jr sr plc a.m p.m u.s u.k u.n p.s",
        "the this that these those it its he she they we you i his her their our my your there here in on at if "
        "when while what who why where how but and or as after before because since although though however for "
        "from with by to a an some all most many no not so then now yes please thanks do does did is are was were "
        "has have had can could would should let one two another each both such even just also only still perhaps "
        "maybe well once",
    ),
    "de+": (
        "hr hrn fr frl dr prof dipl ing phil jur rer nat habil hon st sr bzw z.b d.h u.a.m ca vgl geb gest verh "
        "sog bspw evtl ggf inkl exkl einschl insbes lat griech engl frz franz dt ital russ v.a i.d.r o.g s.o m.e "
        "zzgl abzgl zit hrsg gen gem lt mind min allg ehem jr königl kgl ev kath röm i.a i.v z.t z.zt u.u n.chr "
        "v.chr beisp bes betr bzgl cf dgl entspr gegr i.e int kfm m.a.w o.ä sen stv stellv tel u.z unv urspr verf "
        "vs",
        "nr s abb abs art bd bde kap rn str tel fax jg jh vers az anm fn ziff zit aufl tab hausnr plz lfd pos no "
        "§ mio mrd",
        "usw etc u.a u.s.w u.ä jh jhd jhdt jahrh mio mrd tsd std min sek jan feb febr apr aug sep sept okt nov "
        "dez co inc ltd a.d a.m a.g e.v",
        "der die das den dem des ein eine einer einem einen er sie es wir ihr ich du man dies diese dieser dieses "
        "diesem jedoch aber und oder auch doch dann da danach daher dabei damit dazu darauf deshalb nach nachdem "
        "bei beim mit in im am an auf aus als wenn wie was wer wo warum zu zum zur für von vom vor durch über "
        "unter um ob seit seine sein seinen seiner ihre ihren ihrer unser unsere alle viele einige mehr so nun "
        "noch nur nicht kein keine hier dort heute später zwar denn weil während trotz laut ist sind war wurde "
        "wird hat hatte",
    ),
    "nl": (
        "dhr mevr mw mr mrs dr drs ir ing prof ds st jhr jkvr z.g zgn d.w.z bijv bv nl t.w o.a m.n i.c i.p.v vgl "
        "ca resp evt incl excl min gen kol sgt lt kapt m.b.t t.a.v t.b.v t.o.v t.g.v n.a.v d.m.v i.v.m a.d.h.v fa",
        "nr nrs blz p art afb hfst hoofdst tel jan feb febr mrt apr aug sept okt nov dec par § lid vers",
        "a.u.b n.chr v.chr jr sr co inc ltd",
        "de het een dit dat deze die hij zij ze wij we ik je u er in op aan bij met voor van na naar om als toen "
        "maar en ook dan daar daarom hier nu nog niet zo toch want omdat terwijl hoewel volgens wat wie waar hoe",
    ),
    "af": ("mnr mev mej dr prof ds st bv d.w.s o.a", "nr bl art", "", "die 'n hy sy dit ons hulle in op maar en"),
    "sv+": (
        "dr prof hr fr st s.k bl.a t.ex d.v.s dvs ca jfr resp inkl exkl s.a.s f.d ev ung eng lat",
        "nr s sid kap kl fig tel jan feb mars apr aug sept okt nov dec",
        "f.kr e.kr",
        "det den de en ett han hon vi jag du ni man men och i på av för från med när om som efter under så nu här "
        "där detta denna dessa dock också inte",
    ),
    "da+": (
        "dr prof hr fr frk st bl.a f.eks d.v.s dvs ca jf jvf inkl ekskl s.k f.x m.h.t",
        "nr s kap kl fig tlf stk jan feb mar apr aug sept okt nov dec",
        "f.kr e.kr",
        "det den de en et han hun vi jeg du i man men og på af for fra med når hvis som efter under så nu her der "
        "dette denne disse dog også ikke",
    ),
    "no+": (
        "dr prof hr fr frk st bl.a f.eks d.v.s dvs ca jf jfr inkl ekskl s.k iflg",
        "nr s kap kl fig tlf jan feb mars apr aug sept okt nov des",
        "f.kr e.kr",
        "det den de en et han hun vi jeg du man men og i på av for fra med når hvis som etter under så nå her der "
        "dette denne disse også ikke",
    ),
    "is+": ("hr fr dr próf sr þ.e t.d m.a svo.k u.þ.b", "nr bls gr kl", "", "það hann hún við ég þeir í en og á"),
    "fi+": (
        "hra rva nti tri prof toht maist esim ts n ns ko ks vrt mm mm.fl em ym.s",
        "s nro n:o nr klo puh kpl",
        "eaa ekr jkr",
        "se ne hän he me minä sinä tämä nämä on oli ei mutta ja kun jos että myös sitten nyt siellä täällä kuitenkin",
    ),
    "et+": ("hr pr prl dr prof nt st s.t sh ca vt", "nr lk kl p", "", "see ta nad me ma sa ja aga kui ka siis on ei"),
    "lv+": ("dr prof piem t.i t.s resp sal", "nr lpp plkst", "", "tas tā viņš viņa mēs es un bet ja kad arī"),
    "lt+": ("dr prof gerb pvz t.y vad p.p", "nr psl val", "", "tai jis ji mes aš ir bet kai jei taip"),
    "pl+": (
        "dr prof hab inż mgr ks bp abp kard o św gen płk mjr kpt por ppor sierż ul al pl os np tj tzn tzw m.in ww "
        "zob ob pn red wyd oprac tłum dyr prez min zm ur godz jw ang niem łac fr wł ros gr hiszp śp",
        "nr s str t tab rys ryc art ust pkt poz r w tel godz § vol",
        "im in r w p.n.e n.e tys zł gr zob",
        "to ten ta te w we na po za z ze do od dla jest są był była było nie tak ale i a jak gdy jeśli kiedy on "
        "ona oni ono my wy ja jego jej ich przed przez pod nad przy także jednak tam tu dlatego więc czy co kto "
        "ponieważ",
    ),
    "cs+": (
        "dr prof doc ing mgr bc judr mudr phdr rndr mvdr ph sv tzv tzn tj např resp popř příp mj m.j ul nám tř bl "
        "p pí sl gen plk mjr kpt por ppor angl něm lat fr čes srov cca kol red ed",
        "č str s obr tab kap čl odst písm tel r sv roč § př",
        "př.n.l n.l mil mld tis kč hod min",
        "to ten ta v ve na po za z ze do od pro je jsou byl byla bylo ne tak ale i a jak když pokud on ona oni my "
        "vy já jeho její jejich před při podle také však tam tu proto co kdo tento tato tyto",
    ),
    "sk+": (
        "dr prof doc ing mgr bc judr mudr phdr rndr sv tzv tzn t.j tj napr resp popr príp ul nám p pí gen plk mjr "
        "angl nem lat cca",
        "č str s obr tab kap čl ods písm tel r §",
        "pr.n.l n.l mil mld tis hod min",
        "to ten tá v vo na po za z zo do od pre je sú bol bola bolo nie tak ale aj a ako keď ak on ona oni my vy "
        "ja jeho jej ich pred pri podľa však tam tu preto čo kto tento táto tieto",
    ),
    "sl+": (
        "dr prof mag ing g gdč sv t.i npr tj oz gl ur ul prim inž spec dipl",
        "št str čl odst tč tel sl gl",
        "d.o.o d.d",
        "to ta v na po za z s od je so bil bila bilo ne ko če ker on ona oni mi vi jaz tudi pa zato kaj kdo tako",
    ),
    "hr+": (
        "dr prof mr mag ing g gđa gđica sv tzv npr tj odn ul o inž gen akad",
        "br str čl st sl tab tel god",
        "sl i.sl god kn d.o.o d.d pr.kr",
        "to taj ta u na po za s sa iz od je su bio bila bilo ne ali i a kako kad ako on ona oni mi vi ja njegov "
        "njezin prije prema također tamo tu zato što tko ovaj ova ovo",
    ),
    "sr+": (
        "др проф мр г гђа св тзв нпр тј одн ул инж ген акад dr prof mr g gđa sv tzv npr tj odn ul inž gen akad",
        "бр стр чл ст сл тел br str čl tel",
        "сл год дин н.е п.н.е sl god din n.e p.n.e",
        "то тај та у на по за с са из од је су био била не али и а како кад ако он она они ми ви ја ово овај ова "
        "to taj ta u na po za s sa iz od je su bio bila ne ali i a kako kad ako on ona oni mi vi ja ovo ovaj ova",
    ),
    "bg": (
        "г-н г-жа д-р проф доц инж св т.е т.нар напр вж ул бул кв ген акад арх",
        "стр чл ал бр т табл фиг тел",
        "т.г г гг в пр.н.е сл.хр хил млн",
        "това този тази те той тя ние вие аз в на по за с от до е са беше не но и а как когато ако също там тук",
    ),
    "ru": (
        "г ул пл пр просп пер д кв корп стр обл р-н проф акад доц ген св гр гос тов т.е т.н т.к т.о напр см ср "
        "сокр англ фр лат греч итал исп яп тыс ок о-в пос дер ред сост изд зам нач зав и.о в.и.о мл ст ж.-д тж "
        "устар разг",
        "стр с рис табл гл п пп ст ч т тт вып № тел ок н к",
        "им г гг в вв н.э руб коп долл млн млрд тыс чел час мин сек кг км м см га л",
        "в во на по за с со из от до для это этот эта эти тот он она они оно мы вы я его её их но и а как когда "
        "если что кто не при под над у о об также однако там тут здесь тогда теперь затем после через поэтому так "
        "был была было были все всё некоторые многие",
    ),
    "uk": (
        "м вул пл просп пров буд кв обл р-н ім проф акад доц ген полк св т.зв т.б тобто напр див пор англ нім фр "
        "лат грец с смт",
        "стор с рис табл гл п ст ч т вип № тел",
        "р рр ст н.е грн коп млн млрд тис",
        "у в на по за з із від до для це цей ця ці той він вона вони воно ми ви я його її їх але і й та а як коли "
        "якщо що хто не при під над також однак там тут тоді тепер після через тому так був була було були",
    ),
    "be": (
        "г вул пл д кв вобл ім праф акад св т.зв напр гл",
        "стар с мал табл п ч т",
        "г гг ст н.э",
        "у на з гэта ён яна яны мы я але і як калі",
    ),
    "mk": (
        "г-дин г-ѓа д-р проф св т.н пр т.е ул бул",
        "стр чл бр",
        "год н.е",
        "тоа тој таа тие ние јас во на со од е се не но и а",
    ),
    "el": (
        "κ κα κκ δρ καθ αγ π.χ δηλ βλ πρβλ λ.χ λεωφ οδ μ.μ στρ υπ αρχ αρ εκδ επιμ μτφρ",
        "σ σσ σελ αρ αρθ τ τομ κεφ εικ πιν παρ τηλ",
        "μ.χ π.μ μ.μ π.χρ μ.χρ εκ δισ",
        "ο η το οι τα τον την του της των ένας μια ένα στο στη στην στον σε με για από και αλλά αν όταν όπως αυτό "
        "αυτός αυτή είναι ήταν δεν θα να που πώς γιατί επίσης όμως εδώ εκεί",
    ),
    "tr+": (
        "dr doç prof av sn alb yzb tğm org gen bkz krş vb.g örn yrd öğr uzm hz mah cad sk blv apt müh mim çev haz "
        "yay ltd.şti st ord",
        "no nu s ss c md fık tel faks sf bkz",
        "ltd şti a.ş co inc m.ö m.s bş yy",
        "bu o şu bir ben sen biz siz onlar ama ve de da ancak fakat çünkü eğer için ne kim nasıl neden nerede "
        "böyle şimdi sonra önce her hem ya yani ayrıca daha en çok var yok",
    ),
    "az+": (
        "dr prof akad c-b cən xan küç pr məs müq bax",
        "səh no nömr",
        "il",
        "bu o bir mən sən biz siz onlar amma və",
    ),
    "kk": ("ж т.б проф акад", "б", "т.б ж", "бұл ол біз мен сен"),
    "hu+": (
        "dr prof ifj id özv br gr st szt ún ld vö pl kb ill stb.p i.m u.n mo ker u",
        "sz o old p kötet fej ker tel",
        "kft rt bt zrt nyrt i.e i.sz kr.e kr.u sz",
        "a az ez ő ők mi ti én te és de hogy ha mert nem is van volt egy így akkor itt ott most majd pedig azonban",
    ),
    "ro": (
        "dl dna d-na d-l dr prof acad ing av sf gen col lt mr cpt str bd bld pt ex lat fr engl cca",
        "nr pag p art alin cap vol tel fig",
        "d.hr î.hr lei jud",
        "acest această aceste el ea ei ele noi voi eu un o în la cu de pe din pentru dar și sau dacă când cum ce "
        "cine nu este sunt a au după prin astfel",
    ),
    "it": (
        "sig sigg sig.ra sig.na sig.ri dott dott.ssa dr dr.ssa prof prof.ssa avv ing arch geom rag mons on sen "
        "min cav comm gen col cap ten magg s ss cfr ecc.mo ill.mo gent.mo spett p.es es c.d cd v.le p.zza l.go "
        "c.so loc vs ca circ all",
        "n nn num pag pagg p pp art artt cap vol fig tav tel sec v",
        "a.c d.c s.p.a s.r.l spa srl jr u.s.a",
        "il lo la i gli le un uno una questo questa questi queste quello quella egli ella lui lei loro noi voi io "
        "ma e o se quando come dove che chi non è era sono in nel nella con per da di a al alla dal dopo anche "
        "però così qui ora si",
    ),
    "es": (
        "sr sra srta sres sras dr dra dres prof profa lic ing arq d dª dña fr mons excmo excma ilmo ilma gral "
        "cnel cap tte sgto sto sta st av avda vda p.ej ej cf cfr vid aprox dpto prov gob pdte pte admón hno hnos "
        "ntra ma ee",
        "no núm num nº pág págs p pp art arts cap vol fig tel tfno c s n ed lám §",
        "uu ee.uu a.c d.c s.a s.l hab km ud uds cía ltda a.m p.m jr",
        "el la los las un una unos unas lo este esta estos estas ese esa esto eso él ella ellos ellas nosotros yo "
        "tú usted pero y o si cuando como donde que qué quien no sí es era fue son en con por para de del a al "
        "desde después también así aquí ahora su sus se entre tras según sin sobre además aunque",
    ),
    "ca": (
        "sr sra srs dr dra prof lic st sta mn av ctra pl c p.ex cf aprox dept",
        "núm pàg p pp art cap vol fig tel",
        "a.c d.c s.a s.l",
        "el la els les un una això aquest aquesta ell ella ells nosaltres jo però i o si quan com on que no és "
        "era en amb per de a al des també així",
    ),
    "gl": (
        "sr sra dr dra prof d st sta av p.ex cf",
        "núm páx p art cap vol",
        "a.c d.c",
        "o a os as un unha este esta el ela pero e se cando non é en con por de",
    ),
    "pt": (
        "sr sra srs sras srta dr dra drs prof profa eng arq exmo exma ilmo gen cel cap ten sgt maj sto sta st av "
        "r pç p.ex ex cf aprox dep pe d fr mons apto",
        "n no nº núm pág págs p pp art arts cap vol fig tel ed séc s §",
        "a.c d.c s.a ltda cia jr e.u.a eua",
        "o a os as um uma este esta estes estas esse essa isto isso ele ela eles elas nós eu você mas e ou se "
        "quando como onde que quem não sim é era foi são em no na nos nas com por para de do da ao à desde depois "
        "também assim aqui agora seu sua entre segundo sem sobre além embora",
    ),
    "fr": (
        "m mm mme mmes mlle mlles mgr me dr drs pr st ste sts stes cf av apr env ex p.ex c.-à-d c.à.d i.e gal lt "
        "sgt cdt bd boul pl fbg rte resp hab ing vs",
        "n no nos nº p pp pag art chap vol t fig tab tél tel al éd coll op §",
        "prof j.-c j.c s.a s.a.r.l cie jr r.v",
        "le la les l un une des du ce cet cette ces il elle ils elles nous vous je tu on mais et ou si quand "
        "comme où que qui quoi ne non oui est était sont en dans avec pour par de à au aux dès depuis après aussi "
        "ainsi ici maintenant son sa ses leur leurs selon sans sur entre malgré lorsque puis cependant c' d' j' "
        "n' qu' s'",
    ),
    "eu+": ("jn and dk prof st adib", "zk or orr", "", "hau hori hura bat eta baina ez da"),
    "vi": (
        "tp q p ts ths gs pgs bs ks cn tx tt đ.c th.s t.s v.d vd stt",
        "tr đt",
        "",
        "và nhưng tôi anh chị ông bà nó họ chúng đây đó khi nếu vì theo sau trong những các một hai",
    ),
    "id": (
        "dr prof ir drs dra h hj tn ny bpk sdr jl gg kec kab ds dsb yth a.n u.p mis spt",
        "no hlm hal jl telp tel",
        "pt tbk",
        "ini itu dia ia mereka kami kita saya anda tetapi dan jika ketika karena namun di ke dari pada untuk "
        "dengan oleh",
    ),
    "he": ("גב פרופ ד״ר", "עמ מס", "", ""),
    "ar": ("د أ.د ا.د ص.ب", "ص ج", "", ""),
    "ka": ("ე.ი მაგ ქ იხ პროფ აკად", "გვ", "წ", ""),
    "bn": ("ড ডা মো", "পৃ নং", "", ""),
    "mr": ("डॉ प्रा सौ कु", "पृ क्र", "", ""),
    "ne": ("डा डॉ प्रा वि.सं", "पृ नं", "", ""),
    "pa": ("ਡਾ ਪ੍ਰੋ", "ਨੰ", "", ""),
    "gu": ("ડૉ ડો પ્રો", "પૃ નં", "", ""),
    "ta": ("திரு டாக்", "எண் பக்", "", ""),
    "te": ("డా ప్రొ", "పే నం", "", ""),
    "kn": ("ಡಾ ಪ್ರೊ", "ಪು ನಂ", "", ""),
    "ml": ("ഡോ പ്രൊഫ", "പേ നം", "", ""),
    "hi": ("डॉ प्रो पं सं", "पृ सं", "", ""),
    "sq": ("z znj dr prof sh p.sh d.m.th rr", "nr f fq", "", "ky kjo ai ajo ata ne unë por dhe në me nga"),
    "cy": ("dr mr mrs st e.e h.y gw", "rh t tt", "", "y yr mae roedd yn ond a"),
    "ga": ("an.tuas dr uas mr st m.sh", "lch uimh", "", "tá bhí an na is ach agus"),
    "mt": ("dr prof sr sra mons eż ara", "nru p art", "", "il l- dan din huwa hija imma u"),
    "lb+": ("dr här mme prof st z.b d.h", "nr s", "etc asw", "de d' et den dat si hien mir"),
    "eo": ("d-ro s-ro s-ino prof st ekz t.e k.a", "n-ro p paĝ", "", "la tiu li ŝi ĝi ili ni mi sed kaj en"),
    "la": ("s st sc cf m cn q p.c d.n", "p c cap lib v", "", "et in hic haec hoc ille qui quae quod sed ad cum"),
}
_SAME = {"nb": "no", "nn": "no", "bs": "hr", "sh": "hr", "ms": "id", "mo": "ro", "hsb": "cs", "dsb": "cs"}
_MONTHS = """
    januar jänner februar feber märz april mai juni juli august september oktober november dezember januari
    februari mars maj augusti marts december desember janúar febrúar apríl maí júní júlí ágúst október nóvember
    ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık január február március április
    május június július augusztus szeptember
"""
# Abbreviations of some languages that are words of others, found in the texts of 389 translations of the Universal
# Declaration of Human Rights and in treebanks of six languages. Without a language they are no abbreviations.
_WORDS_ELSEWHERE = """
    and ang all bul cap cel cia col dep din doc dra eli eng eua fra gal gen god hab hno hon ill ilma ing int
    ital jan jne jur kol lat lei lt maj max med mil min mind mis mme mons nat nti pan por pte prez red rer ros
    sal sek sen sig etc spa sta ste stes sto tel ten tri ung vad vid viz yay zit mah mag kab loc feb nov sept
    sep dec mar apr jun jul oct bez pos tab str im dna apt arts mars des org old val par lid lib sid nem rag cad
    phil env spec ord haz gem lic ker arch prim geom ara gest
"""


def codes() -> tuple[str, ...]:
    """Return the codes of the languages with a table, sorted."""
    return tuple(sorted([*(code.removesuffix("+") for code in _TABLE), *_SAME]))


def abbreviations(language: str | None = None) -> Abbreviations:
    """Return the abbreviations of a language; those of None for a language without a table.

    Args:
        language: ISO 639-1 code; None means what hurts no language: all of English, and of the others what is no word
            elsewhere. A number with a full stop is then an ordinal before the name of a month only.
    """
    if language is None:
        return _common()
    code = language_code(language)
    return _own(_SAME.get(code, code)) or _common()


@cache
def _own(code: str) -> Abbreviations | None:
    """Return what the table has for a language, or None."""
    for key in (code, f"{code}+"):
        if key in _TABLE:
            never, numbers, maybe, starters = map(_entries, _TABLE[key])
            return Abbreviations(never - maybe, numbers, maybe, starters, _entries(_MONTHS), key.endswith("+"))
    return None


@cache
def _common() -> Abbreviations:
    """Return what holds in all languages."""
    rows = _TABLE.values()
    never, numbers, maybe, starters = (_entries(" ".join(row[kind] for row in rows)) for kind in range(4))
    english, words = [_entries(kind) for kind in _TABLE["en"]], _entries(_WORDS_ELSEWHERE)

    def safe(candidates: frozenset[str]) -> frozenset[str]:
        return frozenset(word for word in candidates - words if len(word) > 2 or "." in word or not word.isascii())

    return Abbreviations(
        english[0] | (safe(never) - maybe),
        english[1] | safe(numbers),
        english[2] | (safe(maybe) - english[0]),
        english[3] | {word for word in starters if len(word) > 1},
        _entries(_MONTHS),
    )


def _entries(text: str) -> frozenset[str]:
    return frozenset(text.split())
