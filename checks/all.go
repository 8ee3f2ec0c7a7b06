package checks

import "lockstep/model"

// All returns the properties that are checked if none is named, in the order in which they
// are shown. rebuildBound is the number of rebuilds to allow; 0 leaves that property out.
// [Kinds] lists the others, too.
func All(rebuildBound int) []model.Property {
	var all []model.Property
	for _, k := range Kinds() {
		if k.Default && (k.Argument != Count || rebuildBound > 0) {
			all = append(all, k.New(rebuildBound, 0))
		}
	}
	return all
}
