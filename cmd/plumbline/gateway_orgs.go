package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"plumbline.dev/plumbline/reference/admin"
	"plumbline.dev/plumbline/reference/ledger"
	"plumbline.dev/plumbline/reference/price"
)

func newOrgsCommand() *cobra.Command {
	return adminGroup("orgs", "Add and list organizations", newOrgsAddCommand(), newOrgsListCommand())
}

func newOrgsAddCommand() *cobra.Command {
	var amount string
	var unlimited bool
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add an organization",
		Long: `Add an organization. It has no credits until some are added, so its requests are
refused; with --unlimited its requests are charged and never refused.

An organization of the gateway's settings file can be added by its id: keys and credits
of both places then count together.`,
		Example: "  plumbline gateway orgs add acme --data /var/lib/plumbline --credits 10.00",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var usd price.Money
			if amount != "" {
				var err error
				if usd, err = price.ParseMoney(amount); err != nil {
					return fmt.Errorf("--credits: %w", err)
				}
				if usd.Sign() <= 0 || unlimited {
					return fmt.Errorf("--credits: give an amount above 0, and not together with --unlimited")
				}
			}
			return edit(cmd, func(e *admin.Editor) error {
				err := e.AddOrganization(args[0], unlimited)
				if err == nil && amount != "" {
					err = e.AddCredits(args[0], usd)
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&amount, "credits", "", "`amount` in US dollars to begin with")
	cmd.Flags().BoolVar(&unlimited, "unlimited", false, "never refuse for want of credits")
	return cmd
}

func newOrgsListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the organizations with their keys in use and their balances",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := readState(cmd)
			if err != nil {
				return err
			}
			spent, err := spending(cmd, func(ledger.Entry) {})
			if err != nil {
				return err
			}
			return table(cmd, "ORGANIZATION\tKEYS\tBALANCE (USD)\tADDED", func(row func(string, ...any)) {
				for org := range state.Find("") {
					keys := 0
					for _, k := range org.Keys {
						if !k.Revoked {
							keys++
						}
					}
					row("%s\t%d\t%s\t%s", org.ID, keys, balance(org, spent[org.ID]), day(org.At))
				}
			})
		},
	}
}

// spending adds up what the ledger says that each organization spent, and shows
// each entry.
func spending(cmd *cobra.Command, each func(ledger.Entry)) (map[string]price.Money, error) {
	path, err := dataFile(cmd, ledger.FileName)
	if err != nil {
		return nil, err
	}
	spent := make(map[string]price.Money)
	for e, err := range ledger.Read(path) {
		if err != nil {
			return nil, err
		}
		spent[e.Org] = spent[e.Org].Add(e.USD)
		each(e)
	}
	return spent, nil
}

func balance(org *admin.Organization, spent price.Money) string {
	if !org.Limited {
		return "unlimited"
	}
	return org.Credits.Sub(spent).String()
}
