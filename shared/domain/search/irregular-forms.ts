/**
 * English words whose forms no stemmer brings together ("went" and "go", "children" and "child"): each base with its
 * other forms. Forms that are as often words of their own (rose, ground, bit, lives) are left out.
 */
const FORMS = `
go:went,gone make:made get:got,gotten take:took,taken give:gave,given come:came see:saw,seen say:said tell:told know:knew,known
think:thought find:found leave:left feel:felt keep:kept begin:began,begun bring:brought buy:bought build:built catch:caught
choose:chose,chosen draw:drew,drawn drive:drove,driven eat:ate,eaten fall:fell,fallen fight:fought fly:flew,flown
forget:forgot,forgotten forgive:forgave,forgiven freeze:froze,frozen grow:grew,grown hang:hung hear:heard hide:hid,hidden
hold:held lead:led learn:learnt lend:lent lose:lost mean:meant meet:met pay:paid ride:rode,ridden ring:rang rise:risen run:ran
sell:sold send:sent shake:shook,shaken shoot:shot show:shown sing:sang,sung sink:sank,sunk sit:sat sleep:slept
speak:spoke,spoken spend:spent stand:stood steal:stole,stolen stick:stuck swim:swam,swum teach:taught tear:tore,torn
throw:threw,thrown understand:understood wake:woke,woken wear:wore,worn win:won write:wrote,written break:broke,broken
become:became bite:bitten blow:blew,blown dig:dug feed:fed seek:sought shrink:shrank,shrunk strike:struck swear:swore,sworn
sweep:swept weep:wept deal:dealt dream:dreamt overcome:overcame withdraw:withdrew,withdrawn bend:bent creep:crept flee:fled
mistake:mistook,mistaken undergo:underwent,undergone
child:children person:people man:men woman:women foot:feet tooth:teeth mouse:mice goose:geese wife:wives knife:knives
shelf:shelves wolf:wolves index:indices matrix:matrices vertex:vertices criterion:criteria
`

/** From an irregular form, in lower case, to its base. */
export const IRREGULAR_FORMS: ReadonlyMap<string, string> = new Map(
  FORMS.trim()
    .split(/\s+/)
    .flatMap((entry) => {
      const [base = '', forms = ''] = entry.split(':')
      return forms.split(',').map((form) => [form, base] as const)
    }),
)
