/**
 * Words that say nothing about what a claim is about. They are left out of documents and queries alike; where a
 * script writes no spaces, n-grams over them only weigh less.
 */

const ENGLISH =
  'a an the of to in on at for and or is are was were be been do does did has have had with by from that this it its as i you he she they we his her their our my your what when where who how why which would could should'

/** English function words that appear in no document and no query. */
export const STOP_WORDS: ReadonlySet<string> = new Set(ENGLISH.split(' '))

/**
 * Question words and articles of other European languages, as folded (no accents). Words that are English content
 * words too (German `die`, Spanish `sin`) are not listed. They are indexed, and weigh little in a query.
 */
export const FOREIGN_FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    'der das und ist wir ich wann wer wie wo warum welche welcher welches ein eine einen dem den des zu im am nicht ' +
    'el la los las un una y es cuando donde quien como que por para del al nosotros cual cuales en de se ' +
    'le les et est quand ou qui comment pourquoi quel quelle nous une du au aux dans pour ' +
    'o os as e quando onde quem como porque nos da das dos na nas no il lo gli dove chi perche noi ' +
    'когда где кто что как почему мы вы он она они это и в на с по к у не для или ' +
    'متي اين من ما كيف لماذا هل في علي الي عن هو هي نحن'
  ).split(' '),
)

/** Function words of Chinese, Japanese and Korean, longest first where one begins another. */
export const CJK_FUNCTION_WORDS =
  /什么时候|什麼時候|什么|什麼|怎么样|怎么|怎麼|为什么|為什麼|哪里|哪裡|哪个|哪天|哪些|多少|几点|請問|请问|我们|我們|谁|誰|吗|嗎|呢|了|的|是|在|请|でしたか|ましたか|ですか|ますか|でした|ました|です|ます|どうして|どこ|どの|どんな|いつ|なに|何時|何曜日|だれ|なぜ|について|ください|教えて|とは|から|まで|する|した|して|ある|いる|この|その|언제|어디|누구|무엇|뭐|왜|어떻게|하나요|인가요|입니까|습니까|나요|합니다|입니다|습니다/gu
