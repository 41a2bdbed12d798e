/** Words that build a sentence rather than name what it is about, per language. */

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}

export const ENGLISH_STOPS = words(`
  a an the of in on at to for from by with and or as is are was were be been being am it its it's this that these
  those there here he she they them his her hers their theirs we our us you your i my me who whom which what when
  where while if than then so such also too just very any some all each every only both has have had having do does
  did doing will would shall should can could may might must about into over under out up down off per via within
  between after before during until since because but however still yet now one's 's s t re ve ll d m own other
  another same more most much many few less least get gets got make makes made take takes took place
`)

/** With German, Spanish, French and Portuguese; for texts that show no sign of English. */
export const ALL_STOPS = words(`
  a an the of in on at to for from by with and or as is are was were be been being am it its it's this that these
  those there here he she they them his her hers their theirs we our us you your i my me who whom which what when
  where while if than then so such also too just very any some all each every only both has have had having do does
  did doing will would shall should can could may might must about into over under out up down off per via within
  between after before during until since because but however still yet now one's 's s t re ve ll d m own other
  another same more most much many few less least get gets got make makes made take takes took place der die das
  den dem des ein eine einen einem einer und oder ist sind war im auf für von zu zum zur mit bei nach vor bis um
  uhr wird werden hat haben soll sollen muss müssen darf dürfen kann sich als auch es er sie el la los las un una
  unos unas de del al y o en por para con son está están se su sus que lo le les ha han une du l et ou dans sur
  pour par avec est sont ont au aux ce cette sa ses qui os uma e em no na da dos com é são
`)

const ENGLISH = /(^|[^\p{L}])(the|is|are|of|and|to|was|has|does|with|our|their|must|be|on|at|should|for|not|don't|doesn't|can)(?![\p{L}])/iu

/** True when a text shows a word that is English and nothing else. */
export function looksEnglish(text: string): boolean {
  return ENGLISH.test(text)
}

export const NEGATIONS = words(`
  not no never none nobody nothing nowhere neither nor without cannot cant can't don't doesn't didn't isn't aren't
  wasn't weren't won't wouldn't shouldn't couldn't mustn't hasn't haven't hadn't dont doesnt isnt wont ain't
  needn't nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne nunca jamás nadie nada
  ningún ninguna ninguno sin tampoco pas jamais aucun aucune personne rien sans não nenhum nenhuma sem non mai
  nessuno
`)

/** Negations of other languages that are something else in an English text. */
export const NOT_NEGATION_IN_ENGLISH = words('sin sans nada non ne pas rien personne')

export const HEDGES = words(`
  might may could probably perhaps maybe possibly likely considering thinks hopes hoping proposed proposal
  suggested rumor rumour if unless expected eventually someday tentatively tentative draft
`)

export const AUXILIARIES = words(`
  is are was were be am has have had can may must will should shall would could does do did cannot can't don't
  doesn't isn't aren't wasn't won't mustn't shouldn't needn't didn't hasn't haven't isnt dont ist sind war wird
  werden hat haben muss müssen darf dürfen soll kann es está son están era tiene debe deben puede est sont était a
  ont doit doivent peut é são was ferme ouvre commence coûte dure parle travaille habite utilise paie reste
  schließt öffnet beginnt kostet dauert spricht arbeitet wohnt nutzt läuft fährt bleibt kommt geht steht liegt
  braucht mag cierra abre empieza cuesta dura habla trabaja vive usa paga prefiere funciona quiere
`)

export const RELATIVES = words('that which who whom whose if when unless because so while where')

export const PREPOSITIONS = words('of for with in on at to from by about into per under over before after since until during via through')

export const DETERMINERS = words(
  'the a an this that our their his her its my your each every all any no some der die das el la le les los las',
)

/** First words of an instruction, whose subject is whoever reads it. */
export const IMPERATIVES = words(`
  use write keep always never avoid prefer do don't put run send call leave add set store make ask name format show mark
  page wrap commit log return start stop contact reply include deploy indent sort
`)

export const INSTRUCTION_STARTS = words("do don't always never please")

/** Words about how sure or how often, which leave what is said as it is. */
export const FILLERS = words(
  "roughly approximately approx about around circa usually typically there's also currently now already please always",
)

/** Hedges that are no content of their own. */
export const MODAL_HEDGES = words('might may could if unless')

/** First words of a claim about nobody in particular ("a man is ..."): two such claims need not share a subject. */
export const INDEFINITE_STARTS = words(`
  a an some several many few two three four five someone somebody people one men women children kids dog dogs boy boys
  girl girls ein eine un una une unos des
`)
