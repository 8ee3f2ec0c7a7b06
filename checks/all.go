package checks

import "lockstep/model"

// All returns every property in the order in which they are shown. rebuildBound
// is the number of rebuilds to allow; 0 leaves that property out.
func All(rebuildBound int) []model.Property {
	all := []model.Property{MutualExclusion(), NoStaleOverwrite(), NoForeignRelease(), NoOrphanedLock()}
	if rebuildBound > 0 {
		all = append(all, RebuildBound(rebuildBound))
	}
	return append(all, Answered())
}
