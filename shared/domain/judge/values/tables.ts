/** Words for numbers, months, days, currencies and units in the languages the judge reads. */

/** [value, words] rows as a look-up from word to value. */
function table<T>(rows: readonly (readonly [value: T, words: string])[]): ReadonlyMap<string, T> {
  return new Map(rows.flatMap(([value, words]) => words.split(' ').map((word) => [word, value] as const)))
}

export const ENGLISH_NUMBERS = table<number>(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
  eighteen nineteen`
    .split(/\s+/)
    .map((word, value) => [value, word] as const)
    .concat([
      [20, 'twenty'],
      [30, 'thirty'],
      [40, 'forty'],
      [50, 'fifty'],
      [60, 'sixty'],
      [70, 'seventy'],
      [80, 'eighty'],
      [90, 'ninety'],
    ]),
)

export const ENGLISH_ORDINALS = table<number>([
  [1, 'first'],
  [2, 'second'],
  [3, 'third'],
  [4, 'fourth'],
  [5, 'fifth'],
  [6, 'sixth'],
  [7, 'seventh'],
  [8, 'eighth'],
  [9, 'ninth'],
  [10, 'tenth'],
  [11, 'eleventh'],
  [12, 'twelfth'],
  [13, 'thirteenth'],
  [14, 'fourteenth'],
  [15, 'fifteenth'],
  [20, 'twentieth'],
  [30, 'thirtieth'],
])

/** German, French, Spanish, Italian and Portuguese number words. Order matters where two languages share a word. */
export const FOREIGN_NUMBERS = table<number>([
  [2, 'zwei'],
  [3, 'drei'],
  [4, 'vier'],
  [5, 'fünf'],
  [6, 'sechs'],
  [7, 'sieben'],
  [8, 'acht'],
  [9, 'neun'],
  [10, 'zehn'],
  [11, 'elf'],
  [12, 'zwölf'],
  [15, 'fünfzehn'],
  [20, 'zwanzig'],
  [30, 'dreißig dreissig'],
  [40, 'vierzig'],
  [50, 'fünfzig'],
  [60, 'sechzig'],
  [90, 'neunzig'],
  [100, 'hundert'],
  [14, 'vierzehn'],
  [2, 'deux'],
  [3, 'trois'],
  [4, 'quatre'],
  [5, 'cinq'],
  [7, 'sept'],
  [8, 'huit'],
  [9, 'neuf'],
  [10, 'dix'],
  [11, 'onze'],
  [12, 'douze'],
  [15, 'quinze'],
  [20, 'vingt'],
  [30, 'trente'],
  [40, 'quarante'],
  [50, 'cinquante'],
  [60, 'soixante'],
  [100, 'cent'],
  [14, 'quatorze'],
  [2, 'dos'],
  [3, 'tres'],
  [4, 'cuatro'],
  [5, 'cinco'],
  [6, 'seis'],
  [7, 'siete'],
  [8, 'ocho'],
  [9, 'nueve'],
  [10, 'diez'],
  [11, 'once'],
  [12, 'doce'],
  [14, 'catorce'],
  [15, 'quince'],
  [20, 'veinte'],
  [30, 'treinta'],
  [40, 'cuarenta'],
  [50, 'cincuenta'],
  [60, 'sesenta'],
  [90, 'noventa'],
  [100, 'cien'],
  [3, 'tre'],
  [4, 'quattro'],
  [5, 'cinque'],
  [7, 'sette'],
  [8, 'otto'],
  [10, 'dieci'],
  [30, 'trenta'],
  [2, 'dois'],
  [3, 'três'],
  [4, 'quatro'],
  [7, 'sete'],
  [8, 'oito'],
  [9, 'nove'],
  [10, 'dez'],
  [30, 'trinta'],
])

export const CHINESE_DIGITS = table<number>([
  [0, '〇 零'],
  [1, '一'],
  [2, '二 两 兩'],
  [3, '三'],
  [4, '四'],
  [5, '五'],
  [6, '六'],
  [7, '七'],
  [8, '八'],
  [9, '九'],
])

export const KOREAN_NUMBERS = table<number>([
  [1, '한'],
  [2, '두'],
  [3, '세'],
  [4, '네'],
  [5, '다섯'],
  [6, '여섯'],
  [7, '일곱'],
  [8, '여덟'],
  [9, '아홉'],
  [10, '열'],
])

export const MONTHS = table<number>([
  [1, 'january jan januar enero janvier gennaio janeiro jänner'],
  [2, 'february feb februar febrero février febbraio fevereiro'],
  [3, 'march mar märz marzo mars março'],
  [4, 'april apr abril avril aprile'],
  [5, 'may mai mayo maggio maio'],
  [6, 'june jun juni junio juin giugno junho'],
  [7, 'july jul juli julio juillet luglio julho'],
  [8, 'august aug agosto août'],
  [9, 'september sep sept septiembre septembre settembre setembro'],
  [10, 'october oct oktober okt octubre octobre ottobre outubro'],
  [11, 'november nov noviembre novembre novembro'],
  [12, 'december dec dezember dez diciembre décembre dicembre dezembro'],
])

/** Weekday to its index, Monday 0. */
export const WEEKDAYS = table<number>([
  [0, 'monday mon mo montag montags lunes lundi lunedì segunda-feira mondays lundis'],
  [1, 'tuesday tue tues dienstag dienstags martes mardi martedì terça-feira tuesdays mardis'],
  [2, 'wednesday wed mittwoch mittwochs miércoles mercredi mercoledì quarta-feira wednesdays mercredis'],
  [3, 'thursday thu thur thurs donnerstag donnerstags jueves jeudi giovedì quinta-feira thursdays jeudis'],
  [4, 'friday fri freitag freitags fr viernes vendredi venerdì sexta-feira fridays vendredis'],
  [5, 'saturday sat samstag samstags sábado sábados samedi sabato saturdays samedis'],
  [6, 'sunday sun sonntag sonntags domingo domingos dimanche domenica sundays dimanches'],
])

export const CURRENCIES = table<string>([
  ['USD', '$ usd dollar dollars ドル'],
  ['EUR', '€ eur euro euros ユーロ'],
  ['GBP', '£ gbp pound pounds'],
  ['JPY', '¥ jpy yen 円 日元'],
  ['KRW', '₩ 원 krw'],
  ['CNY', '元 cny'],
  ['CHF', 'chf'],
  ['CAD', 'cad'],
  ['AUD', 'aud'],
  ['SEK', 'sek'],
  ['PLN', 'pln'],
])

export const MINUTE = 60
export const HOUR = 3600
export const DAY = 86_400
export const WEEK = 604_800
export const MONTH = 2_629_800
export const QUARTER = 7_889_400
export const YEAR = 31_557_600

/** Unit of time to its seconds. Order matters: the longest spelling is tried first, ties in this order. */
export const SPAN_UNITS = table<number>([
  [0.001, 'ms millisecond milliseconds'],
  [1, 's sec secs second seconds sekunde sekunden segundo segundos seconde secondes 秒 초'],
  [MINUTE, 'min mins minute minutes minuten minuto minutos 分 分钟 分間 분'],
  [HOUR, 'h hr hrs hour hours stunde stunden hora horas heure heures 時間 小时 小時 시간'],
  [DAY, 'd day days tag tage tagen día días dia dias jour jours giorni 日間 天 일'],
  [WEEK, 'w week weeks woche wochen semana semanas semaine semaines 週間 周 주'],
  [MONTH, 'month months monat monate monaten mes meses mois ヶ月 か月 个月 個月 개월'],
  [YEAR, 'y yr yrs year years jahr jahre jahren año años an ans 年間 년'],
  [QUARTER, 'quarter quarters'],
])

/** Adverbs of frequency to the seconds between two times. */
export const FREQUENCIES = table<number>([
  [DAY, 'daily nightly'],
  [WEEK, 'weekly'],
  [MONTH, 'monthly'],
  [QUARTER, 'quarterly'],
  [YEAR, 'yearly annually annual'],
  [HOUR, 'hourly'],
  [2 * WEEK, 'biweekly fortnightly'],
  [DAY, 'täglich'],
  [WEEK, 'wöchentlich'],
  [MONTH, 'monatlich'],
  [YEAR, 'jährlich'],
  [DAY, 'diario'],
  [MONTH, 'mensual'],
  [WEEK, 'semanal'],
  [YEAR, 'anual'],
  [DAY, 'quotidien'],
  [WEEK, 'hebdomadaire'],
  [MONTH, 'mensuel'],
  [YEAR, 'annuel'],
  [DAY, '毎日'],
  [WEEK, '毎週'],
  [MONTH, '毎月'],
  [YEAR, '毎年'],
  [DAY, '每天'],
  [WEEK, '每周'],
  [MONTH, '每月'],
  [YEAR, '每年'],
  [DAY, '매일'],
  [WEEK, '매주'],
  [MONTH, '매월 매달'],
  [YEAR, '매년'],
])

type Measure = readonly [unit: string, factor: number]

/** Unit of measure to its base unit and factor. */
export const MEASURES = table<Measure>([
  [['B', 1e3], 'kb'],
  [['B', 1e6], 'mb megabytes megabyte'],
  [['B', 1e9], 'gb gigabytes gigabyte gig'],
  [['B', 1e12], 'tb terabytes'],
  [['g', 1], 'g gram grams'],
  [['g', 1000], 'kg kilo kilos kilograms'],
  [['m', 1], 'm meter meters metre metres'],
  [['m', 1000], 'km kilometers kilometres kilometer'],
  [['m', 0.01], 'cm centimeters'],
  [['m', 0.001], 'mm'],
  [['m', 0.0254], 'inch inches'],
  [['m', 1609.34], 'mile miles'],
  [['C', 1], '°c degrees °'],
  [['F', 1], '°f'],
  [['%', 1], '% percent prozent 퍼센트 パーセント'],
  [['l', 1], 'l liter liters litre litres'],
  [['l', 0.001], 'ml'],
  [['px', 1], 'px pixels'],
  [['Hz', 1e9], 'ghz gigahertz'],
  [['Hz', 1e6], 'mhz megahertz'],
  [['Hz', 1e3], 'khz kilohertz'],
  [['Hz', 1], 'hz hertz'],
  [['W', 1], 'w watt watts'],
  [['W', 1000], 'kw'],
])

/** Words as alternatives of a pattern, longest first so that none hides another. */
export function alternatives(words: Iterable<string>): string {
  return [...words].sort((a, b) => b.length - a.length).join('|')
}
