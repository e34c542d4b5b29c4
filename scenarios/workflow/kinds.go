package workflow

import (
	"slices"
	"strings"
)

// kinds is the closed list, in the order of their names.
var kinds = sortedKinds()

func sortedKinds() []Kind {
	list := slices.Concat(transferKinds(), archiveKinds(), indexKinds(), seriesKinds(), blobKinds(), relationKinds(),
		bagKinds(), fanOutKinds(), purgeKinds(), sealKinds(), viewKinds(), accessKinds(), copyKinds())
	slices.SortFunc(list, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
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
func Find(name string) *Kind {
	for _, k := range kinds {
		if k.Name == name {
			return &k
		}
	}
	return nil
}
