// Package credits keeps the balances of organizations, in exact US dollars, and
// charges each completion once, when it is settled.
//
// A balance is what an organization was granted less what its completions cost.
// Only the costs are in the ledger, so a restart neither grants credits again
// nor forgets a cost. An organization that was never granted anything is
// unlimited: its costs are written down, and nothing refuses it.
//
// While a reply runs, its [Tab] reserves the price of the tokens to come in
// blocks, so that replies that run side by side cannot spend a balance twice,
// and so that most tokens need no lock. A request is refused when nothing is
// left beside the reservations; a running reply ends when it can reserve no
// more. The price of prompts is not reserved: a balance can fall below zero by
// the prompts of the requests that ran when it was used up.
package credits
