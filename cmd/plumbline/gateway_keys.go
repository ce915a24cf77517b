package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"plumbline.dev/plumbline/reference/admin"
	"plumbline.dev/plumbline/reference/limit"
)

func newKeysCommand() *cobra.Command {
	return adminGroup("keys", "Add, list and revoke API keys", newKeysAddCommand(), newKeysListCommand(), newKeysRevokeCommand())
}

func newKeysAddCommand() *cobra.Command {
	var requests, tokens int64
	cmd := &cobra.Command{
		Use:   "add ORGANIZATION NAME",
		Short: "Make a key and print it, once",
		Long: `Make a key and print it. Only its SHA-256 digest is kept, so it cannot be shown
again. The name tells keys apart in lists and logs; it is no secret.`,
		Example: "  plumbline gateway keys add acme web --data /var/lib/plumbline --requests-per-minute 600",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var limits limit.Limits
			if cmd.Flags().Changed("requests-per-minute") {
				limits.RequestsPerMinute = &requests
			}
			if cmd.Flags().Changed("tokens-per-minute") {
				limits.TokensPerMinute = &tokens
			}
			return edit(cmd, func(e *admin.Editor) error {
				key, err := e.AddKey(args[0], args[1], limits)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), key)
				return err
			})
		},
	}
	cmd.Flags().Int64Var(&requests, "requests-per-minute", 0, "limit of requests, as a `number` (default none)")
	cmd.Flags().Int64Var(&tokens, "tokens-per-minute", 0, "limit of tokens of prompts and replies, as a `number` (default none)")
	return cmd
}

func newKeysListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list [ORGANIZATION]",
		Short: "List the keys by their names",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			state, err := readState(cmd)
			if err != nil {
				return err
			}
			if err := known(state, optional(args, 0)); err != nil {
				return err
			}
			return table(cmd, "ORGANIZATION\tKEY\tSTATE\tREQUESTS/MIN\tTOKENS/MIN\tADDED", func(row func(string, ...any)) {
				for org := range state.Find(optional(args, 0)) {
					for _, k := range org.Keys {
						condition := "in use"
						if k.Revoked {
							condition = "revoked"
						}
						row("%s\t%s\t%s\t%s\t%s\t%s", org.ID, k.ID, condition, perMinute(k.Limits.RequestsPerMinute), perMinute(k.Limits.TokensPerMinute), day(k.At))
					}
				}
			})
		},
	}
}

func perMinute(n *int64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(*n, 10)
}

func newKeysRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ORGANIZATION NAME",
		Short: "End the use of a key; replies that are running go on",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return edit(cmd, func(e *admin.Editor) error { return e.RevokeKey(args[0], args[1]) })
		},
	}
}
