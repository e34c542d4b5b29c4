package entity

// Code is the name that the table service gives to an outcome. The empty code
// is success.
type Code string

// The codes that the engine answers with.
const (
	OK                    Code = ""
	TableAlreadyExists    Code = "TableAlreadyExists"
	TableNotFound         Code = "TableNotFound"
	ResourceNotFound      Code = "ResourceNotFound"
	EntityAlreadyExists   Code = "EntityAlreadyExists"
	ConditionNotSatisfied Code = "UpdateConditionNotSatisfied"
	InvalidInput          Code = "InvalidInput"
	InvalidResourceName   Code = "InvalidResourceName"
	OutOfRangeInput       Code = "OutOfRangeInput"
	KeyValueTooLarge      Code = "KeyValueTooLarge"
	PropertyNameInvalid   Code = "PropertyNameInvalid"
	PropertyNameTooLong   Code = "PropertyNameTooLong"
	PropertyValueTooLarge Code = "PropertyValueTooLarge"
	TooManyProperties     Code = "TooManyProperties"
	DuplicateProperties   Code = "DuplicatePropertiesSpecified"
	EntityTooLarge        Code = "EntityTooLarge"
	InvalidDuplicateRow   Code = "InvalidDuplicateRow"
	DifferentPartitions   Code = "CommandsInBatchActOnDifferentPartitions"
	RequestBodyTooLarge   Code = "RequestBodyTooLarge"
	MissingRequiredHeader Code = "MissingRequiredHeader"
	ServerBusy            Code = "ServerBusy"
	OperationTimedOut     Code = "OperationTimedOut"
)

// Status returns the HTTP status that the service sends with the code; 200 for
// success and 400 for any code that has none of its own.
func (c Code) Status() int {
	switch c {
	case OK:
		return 200
	case TableNotFound, ResourceNotFound:
		return 404
	case TableAlreadyExists, EntityAlreadyExists:
		return 409
	case ConditionNotSatisfied:
		return 412
	case RequestBodyTooLarge:
		return 413
	case OperationTimedOut:
		return 500
	case ServerBusy:
		return 503
	default:
		return 400
	}
}
