package conformance

import (
	"slices"
	"strings"

	"plumbline.dev/plumbline/conformance/catalogue"
	"plumbline.dev/plumbline/features"
)

// Requirement is a row of the catalogue with the scenarios that judge it.
type Requirement struct {
	catalogue.Row
	Scenarios []Scenario
}

// Requirements returns the catalogue, whole or of one profile. The error of an
// unknown profile is a *UsageError.
func Requirements(profile string) ([]Requirement, error) {
	suite, err := loadSuite(features.FS)
	if err != nil {
		return nil, err
	}
	rows := suite.catalogue.Rows
	if strings.TrimSpace(profile) != "" {
		if rows, err = suite.rows([]string{profile}); err != nil {
			return nil, err
		}
	}
	var list []Requirement
	for _, row := range rows {
		requirement := Requirement{Row: row}
		for _, s := range suite.scenarios {
			if slices.Contains(s.Rows, row.ID) {
				requirement.Scenarios = append(requirement.Scenarios, s)
			}
		}
		list = append(list, requirement)
	}
	return list, nil
}

// Profiles returns the names of the profiles, the default one first.
func Profiles() ([]string, error) {
	rows, err := catalogue.Load(features.FS)
	if err != nil {
		return nil, err
	}
	names := rows.Profiles()
	slices.SortStableFunc(names, func(a, b string) int {
		switch {
		case a == defaultProfile:
			return -1
		case b == defaultProfile:
			return 1
		}
		return strings.Compare(a, b)
	})
	return names, nil
}

// RowIDs returns the ids of all rows.
func RowIDs() ([]string, error) {
	suite, err := loadSuite(features.FS)
	if err != nil {
		return nil, err
	}
	return suite.rowIDs(), nil
}
