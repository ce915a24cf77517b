package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"plumbline.dev/plumbline/conformance"
)

func newRequirementsCommand() *cobra.Command {
	var profile string
	cmd := &cobra.Command{
		Use:   "requirements",
		Short: "List what is judged, and by which scenarios",
		Long: `List the catalogue: each requirement with its level, the section of the document that
states it, what judging it needs, and the scenarios that judge it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, err := conformance.Requirements(profile)
			if err != nil {
				return err
			}
			return printRequirements(cmd.OutOrStdout(), rows)
		},
	}
	cmd.Flags().StringVar(&profile, "profile", "", "only the rows of this profile")
	return cmd
}

func printRequirements(w io.Writer, rows []conformance.Requirement) error {
	var b strings.Builder
	document, scenarios := "", map[string]bool{}
	for _, row := range rows {
		if row.Document != document {
			document = row.Document
			fmt.Fprintf(&b, "\n%s\n", document)
		}
		fmt.Fprintf(&b, "\n  %s  %s, %q", row.ID, row.Level, row.Section)
		if len(row.Needs) > 0 {
			fmt.Fprintf(&b, ", needs %s", strings.Join(row.Needs, ", "))
		}
		fmt.Fprintf(&b, "\n    %s\n", row.Statement)
		for _, s := range row.Scenarios {
			fmt.Fprintf(&b, "      %s  (%s)\n", s.Name, s.Location)
			scenarios[s.Location] = true
		}
	}
	fmt.Fprintf(&b, "\n%d requirements, %d scenarios\n", len(rows), len(scenarios))
	_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}
