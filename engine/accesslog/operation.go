package accesslog

import (
	"loadgen/engine/entity"
)

// operations are the names of the Table service's operations that are about tables and
// entities, from the page on logged operations.
var operations = map[string]entity.Verb{
	"InsertEntity":           entity.Insert,
	"UpdateEntity":           entity.Replace,
	"MergeEntity":            entity.Merge,
	"InsertOrReplaceEntity":  entity.InsertOrReplace,
	"InsertOrMergeEntity":    entity.InsertOrMerge,
	"DeleteEntity":           entity.Delete,
	"QueryEntity":            entity.Get,
	"QueryEntities":          entity.Query,
	"EntityGroupTransaction": entity.Batch,
	"CreateTable":            entity.CreateTable,
	"DeleteTable":            entity.DeleteTable,
}

// OperationOf returns the name that logs have for a verb, empty for none.
func OperationOf(verb entity.Verb) string {
	for name, of := range operations {
		if of == verb {
			return name
		}
	}
	return ""
}

// CategoryOf returns the category of resource logs that an operation belongs to.
func CategoryOf(verb entity.Verb) string {
	switch verb {
	case entity.Get, entity.Query, 0:
		return "StorageRead"
	case entity.Delete, entity.DeleteTable:
		return "StorageDelete"
	default:
		return "StorageWrite"
	}
}
