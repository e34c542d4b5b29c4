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

// ClientTimeoutError is the status in logs of the service for a 500 whose client set too short a
// timeout. No reply carries it.
const ClientTimeoutError Code = "ClientTimeoutError"

// Billed reports whether the service bills a request with an HTTP status and a code, according
// to its page "Storage Analytics logged operations and status messages". Throttled requests and
// server errors are not billed. Client timeouts and aborted requests (status 0) are.
func Billed(status int, code Code) bool {
	return status < 500 && status != 429 || code == ClientTimeoutError
}

// The codes that the wire adds: they are about a request's form and its
// sender's rights rather than about a table.
const (
	AuthenticationFailed         Code = "AuthenticationFailed"
	AuthorizationFailure         Code = "AuthorizationFailure"
	AuthorizationPermission      Code = "AuthorizationPermissionMismatch"
	AuthorizationProtocol        Code = "AuthorizationProtocolMismatch"
	AuthorizationSourceIP        Code = "AuthorizationSourceIPMismatch"
	AuthorizationService         Code = "AuthorizationServiceMismatch"
	AuthorizationResourceType    Code = "AuthorizationResourceTypeMismatch"
	CorsPreflightFailure         Code = "CorsPreflightFailure"
	InvalidAuthenticationInfo    Code = "InvalidAuthenticationInfo"
	AtomFormatNotSupported       Code = "AtomFormatNotSupported"
	MethodNotAllowed             Code = "MethodNotAllowed"
	MissingContentLength         Code = "MissingContentLengthHeader"
	NotImplemented               Code = "NotImplemented"
	InternalError                Code = "InternalError"
	PropertiesNeedValue          Code = "PropertiesNeedValue"
	InvalidURI                   Code = "InvalidUri"
	InvalidHeaderValue           Code = "InvalidHeaderValue"
	InvalidQueryParameterValue   Code = "InvalidQueryParameterValue"
	InvalidXMLDocument           Code = "InvalidXmlDocument"
	TableBeingDeleted            Code = "TableBeingDeleted"
	TooManyRequests              Code = "TooManyRequests"
	MethodOverrideNotPost        Code = "XMethodNotUsingPost"
	MethodOverrideIncorrectCount Code = "XMethodIncorrectCount"
	MethodOverrideIncorrectValue Code = "XMethodIncorrectValue"
)

// Status returns the HTTP status that the service sends with the code; 200 for
// success and 400 for any code that has none of its own.
func (c Code) Status() int {
	switch c {
	case OK:
		return 200
	case AuthenticationFailed, AuthorizationFailure, AuthorizationPermission, AuthorizationProtocol,
		AuthorizationSourceIP, AuthorizationService, AuthorizationResourceType, CorsPreflightFailure:
		return 403
	case TableNotFound, ResourceNotFound:
		return 404
	case MethodNotAllowed:
		return 405
	case TableAlreadyExists, EntityAlreadyExists, TableBeingDeleted:
		return 409
	case MissingContentLength:
		return 411
	case ConditionNotSatisfied:
		return 412
	case RequestBodyTooLarge:
		return 413
	case AtomFormatNotSupported:
		return 415
	case TooManyRequests:
		return 429
	case OperationTimedOut, InternalError:
		return 500
	case NotImplemented:
		return 501
	case ServerBusy:
		return 503
	default:
		return 400
	}
}
