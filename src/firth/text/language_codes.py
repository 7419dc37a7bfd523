"""Codes of languages."""

import re

from firth.errors import OptionError, brief

# Codes of three letters (ISO 639-2 and 639-3) of languages with rules of their own.
_PAIRS = """
    afr=af ara=ar arb=ar aze=az azj=az bel=be ben=bn bos=bs bul=bg cat=ca ces=cs cze=cs cym=cy wel=cy dan=da deu=de
    ger=de ell=el gre=el eng=en epo=eo est=et eus=eu baq=eu fas=fa per=fa pes=fa fin=fi fra=fr fre=fr fao=fo gle=ga
    glg=gl guj=gu heb=he hin=hi hrv=hr hun=hu hye=hy arm=hy ind=id isl=is ice=is ita=it jpn=ja kan=kn kat=ka geo=ka
    kaz=kk kor=ko lat=la lav=lv lvs=lv lit=lt ltz=lb mal=ml mar=mr mkd=mk mac=mk mlt=mt msa=ms nep=ne npi=ne nld=nl
    dut=nl nno=nn nob=nb nor=no pan=pa pol=pl por=pt ron=ro rum=ro rus=ru slk=sk slo=sk slv=sl spa=es sqi=sq alb=sq
    srp=sr swe=sv tam=ta tel=te tur=tr ukr=uk urd=ur vie=vi zho=zh chi=zh
"""
_SHORT: dict[str, str] = dict(pair.split("=") for pair in _PAIRS.split())
# Codes of countries and others that are no languages.
_MISTAKEN = {"cz": "cs", "dk": "da", "gr": "el", "ua": "uk", "jp": "ja", "cn": "zh", "tw": "zh", "vn": "vi", "iw": "he"}


def language_code(language: str) -> str:
    """Return the short code of a language in lower case, without what follows it: "pt" for "pt-BR" and "por"."""
    match = re.match(r"([a-z]{2,3})(?:[-_]|$)", language.lower()) if isinstance(language, str) else None
    if match is None or match[1] in _MISTAKEN:
        such = f"{_MISTAKEN[match[1]]!r}" if match else "'de' for German, or 'tr'"
        raise OptionError(f"language={brief(language)}: expected a code of ISO 639, such as {such}")
    return _SHORT.get(match[1], match[1])
