package entity

// The documented limits of the table service.
const (
	// MaxKeyUnits is the greatest length of a PartitionKey and of a RowKey:
	// 1 KiB, in UTF-16 code units.
	MaxKeyUnits = 512
	// MaxProperties is how many properties an entity has at most beside
	// PartitionKey, RowKey and Timestamp.
	MaxProperties = 252
	// MaxNameUnits is the greatest length of a property's name, in UTF-16 code
	// units.
	MaxNameUnits = 255
	// MaxStringUnits is the greatest length of an Edm.String: 64 KiB, in UTF-16
	// code units.
	MaxStringUnits = 32 * 1024
	// MaxBinaryBytes is the greatest length of an Edm.Binary, in bytes.
	MaxBinaryBytes = 64 * 1024
	// MaxEntityBytes is the greatest size of an entity, in bytes as [Size]
	// counts them.
	MaxEntityBytes = 1 << 20
	// MaxBatchChanges is how many changes an entity group transaction holds at
	// most.
	MaxBatchChanges = 100
	// MaxBatchBytes is the greatest size of an entity group transaction: the
	// sum over its changes, in bytes as [Size] counts them.
	MaxBatchBytes = 4 << 20
	// MinTableName and MaxTableName bound the length of a table's name.
	MinTableName = 3
	MaxTableName = 63
)

// The range of an Edm.DateTime: from the first tick of the year 1601 to the
// last of the year 9999.
const (
	EarliestDateTime Ticks = 504911232000000000
	LatestDateTime   Ticks = 3155378975999999999
)
