package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"plumbline.dev/plumbline/reference/admin"
	"plumbline.dev/plumbline/reference/appendlog"
)

// dataVariable is the variable that names the data directory, as for the gateway
// itself.
const dataVariable = "PLUMBLINE_GATEWAY_DATA"

const adminHelp = `

It works on the data directory of a gateway (--data, or the variable ` + dataVariable + `).
A gateway that is running follows from its next request on, without a signal.`

// addAdminCommands adds what administers a data directory.
func addAdminCommands(gateway *cobra.Command) {
	gateway.AddCommand(newOrgsCommand(), newKeysCommand(), newCreditsCommand())
}

// adminGroup is a command that has only subcommands, all on a data directory.
func adminGroup(use, short string, commands ...*cobra.Command) *cobra.Command {
	group := &cobra.Command{
		Use: use, Short: short, Long: short + "." + adminHelp,
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
			return fmt.Errorf("say what to do with %s: see plumbline gateway %s --help", use, use)
		},
	}
	group.PersistentFlags().String("data", "", "data `directory` of the gateway")
	group.AddCommand(commands...)
	return group
}

// dataFile is the path of a file in the data directory that the command is about.
func dataFile(cmd *cobra.Command, name string) (string, error) {
	dir, err := cmd.Flags().GetString("data")
	if err != nil {
		return "", err
	}
	if dir == "" {
		dir = os.Getenv(dataVariable)
	}
	if dir == "" {
		return "", errors.New("no data directory: give --data or set " + dataVariable)
	}
	return filepath.Join(dir, name), nil
}

// edit lets an administrator decide something; the directory is made if need be.
func edit(cmd *cobra.Command, decide func(*admin.Editor) error) error {
	path, err := dataFile(cmd, admin.FileName)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the data directory: %w", err)
	}
	editor, err := admin.Open(path)
	if errors.Is(err, appendlog.ErrInUse) {
		return errors.New("another administration command is at work on this data directory: try again")
	}
	if err != nil {
		return err
	}
	return errors.Join(decide(editor), editor.Close())
}

// readState reads what was decided so far.
func readState(cmd *cobra.Command) (*admin.State, error) {
	path, err := dataFile(cmd, admin.FileName)
	if err != nil {
		return nil, err
	}
	return admin.Read(path)
}

// known refuses the name of an organization that is not in the data directory.
func known(state *admin.State, org string) error {
	for range state.Find(org) {
		return nil
	}
	if org == "" { // all of none
		return nil
	}
	return fmt.Errorf("there is no organization %q in this data directory: add it with orgs add", org)
}

// table prints lines of tab-separated cells.
func table(cmd *cobra.Command, head string, lines func(row func(format string, cells ...any))) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	lines(func(format string, cells ...any) { fmt.Fprintf(w, format+"\n", cells...) })
	return w.Flush()
}

// optional is the argument at an index, "" if it was not given.
func optional(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}

func day(t time.Time) string { return t.UTC().Format(time.RFC3339) }
