package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"plumbline.dev/plumbline/reference/admin"
	"plumbline.dev/plumbline/reference/ledger"
	"plumbline.dev/plumbline/reference/price"
)

// shownCharges is how many charges credits show prints.
const shownCharges = 20

func newCreditsCommand() *cobra.Command {
	return adminGroup("credits", "Add and show credits", newCreditsAddCommand(), newCreditsShowCommand())
}

func newCreditsAddCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "add ORGANIZATION AMOUNT",
		Short:   "Add an amount in US dollars to an organization's balance",
		Example: "  plumbline gateway credits add acme 10.00 --data /var/lib/plumbline",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			usd, err := price.ParseMoney(args[1])
			if err != nil {
				return err
			}
			return edit(cmd, func(e *admin.Editor) error { return e.AddCredits(args[0], usd) })
		},
	}
}

func newCreditsShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show ORGANIZATION",
		Short: "Show the balance of an organization and its last charges",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			state, err := readState(cmd)
			if err != nil {
				return err
			}
			if err := known(state, args[0]); err != nil {
				return err
			}
			var last []ledger.Entry
			spent, err := spending(cmd, func(e ledger.Entry) {
				if e.Org != args[0] {
					return
				}
				if len(last) == shownCharges {
					last = append(last[:0], last[1:]...)
				}
				last = append(last, e)
			})
			if err != nil {
				return err
			}
			for org := range state.Find(args[0]) {
				fmt.Fprintf(cmd.OutOrStdout(), "granted %s USD, spent %s USD, balance %s\n\n", org.Credits, spent[org.ID], balance(org, spent[org.ID]))
			}
			return table(cmd, "AT\tCOMPLETION\tMODEL\tEND\tTOKENS\tUSD", func(row func(string, ...any)) {
				for _, e := range last {
					row("%s\t%s\t%s\t%s\t%d+%d\t%s", day(e.At), e.ID, e.Model, e.Kind, e.Prompt, e.Completion, e.USD)
				}
			})
		},
	}
}
