package wire

import "loadgen/engine/entity"

// messages are the service's texts for codes.
var messages = map[entity.Code]string{
	entity.TableAlreadyExists:    "The table specified already exists.",
	entity.TableNotFound:         "The table specified does not exist.",
	entity.TableBeingDeleted:     "The specified table is being deleted. Try operation later.",
	entity.ResourceNotFound:      "The specified resource does not exist.",
	entity.EntityAlreadyExists:   "The specified entity already exists.",
	entity.ConditionNotSatisfied: "The update condition specified in the request was not satisfied.",
	entity.InvalidDuplicateRow: "The batch request contains multiple changes with same row key. " +
		"An entity can appear only once in a batch request.",
	entity.DifferentPartitions: "All commands in a batch must operate on same entity group.",
	entity.ServerBusy:          "The server is currently unable to receive requests. Please retry your request.",
	entity.OperationTimedOut:   "The operation could not be completed within the permitted time.",
	entity.InternalError:       "The server encountered an internal error. Please retry the request.",

	// Of a request's form and its sender's rights.
	entity.AuthenticationFailed: "Server failed to authenticate the request. Make sure the value of Authorization header " +
		"is formed correctly including the signature.",
	entity.AuthorizationFailure:      "This request is not authorized to perform this operation.",
	entity.AuthorizationPermission:   "This request is not authorized to perform this operation using this permission.",
	entity.AuthorizationProtocol:     "This request is not authorized to perform this operation using this protocol.",
	entity.AuthorizationSourceIP:     "This request is not authorized to perform this operation using this source IP.",
	entity.AuthorizationService:      "This request is not authorized to perform this operation using this service.",
	entity.AuthorizationResourceType: "This request is not authorized to perform this operation using this resource type.",
	entity.CorsPreflightFailure:      "CORS not enabled or no matching rule found for this request.",
	entity.InvalidAuthenticationInfo: "Authentication information is not given in the correct format. " +
		"Check the value of Authorization header.",
	entity.AtomFormatNotSupported:     "Atom format is not supported.",
	entity.MethodNotAllowed:           "The requested method is not allowed on the specified resource.",
	entity.MissingContentLength:       "The Content-Length header was not specified.",
	entity.MissingRequiredHeader:      "An HTTP header that's mandatory for this request is not specified.",
	entity.InvalidHeaderValue:         "The value for one of the HTTP headers is not in the correct format.",
	entity.InvalidURI:                 "The requested URI does not represent any resource on the server.",
	entity.InvalidQueryParameterValue: "Value for one of the query parameters specified in the request URI is invalid.",
	entity.NotImplemented:             "The requested operation is not implemented on the specified resource.",
	entity.RequestBodyTooLarge:        "The request body is too large and exceeds the maximum permissible limit.",
	entity.InvalidXMLDocument:         "XML specified is not syntactically valid.",

	// Of what a body holds.
	entity.InvalidInput:          "One of the request inputs is not valid.",
	entity.OutOfRangeInput:       "One of the request inputs is out of range.",
	entity.InvalidResourceName:   "The specified resource name contains invalid characters.",
	entity.KeyValueTooLarge:      "The key is larger than the allowed size.",
	entity.PropertyNameInvalid:   "The property name is invalid.",
	entity.PropertyNameTooLong:   "The property name exceeds the maximum allowed length.",
	entity.PropertyValueTooLarge: "The property value exceeds the maximum allowed size.",
	entity.PropertiesNeedValue:   "The values are not specified for all properties in the entity.",
	entity.TooManyProperties:     "The entity contains more properties than allowed.",
	entity.DuplicateProperties:   "A property is specified more than one time.",
	entity.EntityTooLarge:        "The entity is larger than the maximum allowed size.",
}

// Message returns the service's text for a code, and a general one for a code
// that has none of its own.
func Message(code entity.Code) string {
	if text, known := messages[code]; known {
		return text
	}
	return "An error occurred while processing this request."
}
