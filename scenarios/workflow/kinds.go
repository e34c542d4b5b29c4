package workflow

import (
	"slices"
	"strings"

	"loadgen/scenarios/workflow/access"
	"loadgen/scenarios/workflow/copies"
	"loadgen/scenarios/workflow/machine"
)

// kinds is the closed list, in the order of their names.
var kinds = sortedKinds()

func sortedKinds() []machine.Kind {
	list := slices.Concat(transferKinds(), archiveKinds(), indexKinds(), seriesKinds(), blobKinds(), relationKinds(),
		bagKinds(), fanOutKinds(), purgeKinds(), sealKinds(), viewKinds(), access.Kinds(), copies.Kinds())
	slices.SortFunc(list, func(a, b machine.Kind) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Names returns the names of all kinds.
func Names() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// Find returns the kind of a name, nil where there is none.
func Find(name string) *machine.Kind {
	for _, k := range kinds {
		if k.Name == name {
			return &k
		}
	}
	return nil
}
