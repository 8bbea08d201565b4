// Written by scripts/gen-api.mjs from openapi.json. Do not edit.
import type { Limits } from './limits';

export const Acceptance = {
  "type": {
    "required": true,
    "enum": [
      "standard",
      "brand",
      "reseller"
    ]
  },
  "version": {
    "maxLength": 1000
  },
  "privacyVersion": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const AccountForm = {
  "server": {
    "maxLength": 1000
  },
  "userName": {
    "maxLength": 1000
  },
  "password": {
    "maxLength": 4096,
    "format": "password"
  },
  "appId": {
    "maxLength": 1000
  },
  "groupName": {
    "maxLength": 1000
  },
  "productId": {
    "maxLength": 1000
  },
  "outsideLine": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const AcknowledgementForm = {
  "note": {
    "maxLength": 200,
    "message": "Please enter at most 200 characters."
  }
} as const satisfies Limits;

export const AddPasskeyRequest = {
  "challenge": {
    "maxLength": 4096,
    "format": "password"
  },
  "name": {
    "maxLength": 1000
  },
  "credential": {
    "required": true
  }
} as const satisfies Limits;

export const AddressForm = {
  "addressLine": {
    "maxLength": 1000
  },
  "addressUnit": {
    "maxLength": 1000
  },
  "city": {
    "maxLength": 1000
  },
  "state": {
    "maxLength": 1000
  },
  "zip": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const AddressLookup = {
  "addresses": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const AdminRequest = {
  "userName": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a username or an e-mail address."
  }
} as const satisfies Limits;

export const AdminUserDetails = {
  "userName": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "format": "email",
    "message": "Username is not valid"
  },
  "firstName": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "First Name is required."
  },
  "lastName": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Last Name is required."
  },
  "phoneNumber": {
    "maxLength": 30,
    "format": "phone",
    "message": "Please enter a valid value for this field."
  },
  "roleName": {
    "enum": [
      "User",
      "Administrator"
    ]
  },
  "idProofStatus": {
    "enum": [
      "Passed",
      "UnderReview",
      "NotPassed"
    ]
  }
} as const satisfies Limits;

export const AdminUserEnable = {
  "id": {
    "required": true
  }
} as const satisfies Limits;

export const AdminUserForm = {
  "userDetails": {
    "required": true
  },
  "password": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const AdminUserUpdate = {
  "userName": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "email": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "format": "email",
    "message": "Please enter a valid value for this field."
  },
  "firstName": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "First Name is required."
  },
  "lastName": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Last Name is required."
  },
  "phoneNumber": {
    "maxLength": 30,
    "format": "phone",
    "message": "Please enter a valid value for this field."
  },
  "systemRole": {
    "enum": [
      "SysAdmin",
      "SysAdminReporting"
    ]
  },
  "identityProof": {
    "enum": [
      "InPerson",
      "Video",
      "CallBack",
      "PhotoId"
    ]
  },
  "idProofStatus": {
    "enum": [
      "Passed",
      "UnderReview",
      "NotPassed"
    ]
  },
  "roleName": {
    "maxLength": 50
  },
  "primaryJobFunction": {
    "maxLength": 255
  },
  "ownPassword": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const AlternateOidForm = {
  "value": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "format": "oid",
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const AnswerChoice = {
  "value": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const ArrangedFile = {
  "id": {
    "required": true
  }
} as const satisfies Limits;

export const AskPasskeyRequest = {
  "challenge": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const Assignment = {
  "documentSourceId": {
    "required": true
  }
} as const satisfies Limits;

export const AttachmentMeta = {
  "documentType": {
    "maxLength": 1000
  },
  "documentDateType": {
    "enum": [
      "today",
      "message",
      "selected"
    ]
  },
  "confidentiality": {
    "enum": [
      "Normal",
      "Restricted",
      "VeryRestricted"
    ]
  },
  "documentDescription": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const AuditPlace = {
  "chainId": {
    "required": true
  },
  "seq": {
    "required": true
  }
} as const satisfies Limits;

export const AuditSearch = {
  "username": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "eventTypes": {
    "maxLength": 1000
  },
  "search": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const BrandForm = {
  "displayName": {
    "required": true,
    "minLength": 1,
    "maxLength": 60,
    "message": "Please enter a valid value for this field."
  },
  "name": {
    "required": true,
    "minLength": 1,
    "maxLength": 50,
    "pattern": "^(?:[a-z0-9]([a-z0-9-]*[a-z0-9])?)$",
    "message": "Please enter small letters, digits and inner hyphens."
  },
  "color": {
    "maxLength": 7,
    "pattern": "^(?:#[0-9A-Fa-f]{6})?$",
    "message": "Please enter a colour such as #0B6570."
  },
  "logo": {
    "maxLength": 1000
  },
  "hosts": {
    "minLength": 1,
    "maxLength": 253,
    "pattern": "^(?:([A-Za-z0-9]([A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?\\.)*[A-Za-z0-9]([A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?)$",
    "message": "Please enter host names such as mail.clinic.example."
  }
} as const satisfies Limits;

export const BulkJobRequest = {
  "act": {
    "required": true,
    "enum": [
      "process",
      "reopen",
      "read",
      "assign",
      "urgent",
      "snooze",
      "type",
      "delete",
      "restore"
    ]
  },
  "documentType": {
    "maxLength": 255
  }
} as const satisfies Limits;

export const BulkRequest = {
  "act": {
    "required": true,
    "enum": [
      "process",
      "reopen",
      "read",
      "assign",
      "urgent",
      "snooze",
      "type",
      "delete",
      "restore"
    ]
  },
  "documentType": {
    "maxLength": 255
  }
} as const satisfies Limits;

export const BulkWhat = {
  "act": {
    "required": true,
    "enum": [
      "process",
      "reopen",
      "read",
      "assign",
      "urgent",
      "snooze",
      "type",
      "delete",
      "restore"
    ]
  },
  "documentType": {
    "maxLength": 255
  }
} as const satisfies Limits;

export const CancelRequest = {
  "cancelReason": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const ChangePasswordRequest = {
  "oldPassword": {
    "maxLength": 4096,
    "format": "password"
  },
  "password": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const ChangeRequest = {
  "orgId": {
    "required": true
  }
} as const satisfies Limits;

export const CodeAnswer = {
  "challenge": {
    "maxLength": 4096,
    "format": "password"
  },
  "method": {
    "required": true,
    "enum": [
      "app",
      "passkey",
      "email",
      "recovery"
    ]
  },
  "code": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const CodeRequest = {
  "code": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const ConfirmAuthenticatorRequest = {
  "challenge": {
    "maxLength": 4096,
    "format": "password"
  },
  "code": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const ConfirmRegistrationRequest = {
  "token": {
    "maxLength": 4096,
    "format": "password"
  },
  "password": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const ConnectionForm = {
  "name": {
    "maxLength": 1000
  },
  "issuer": {
    "maxLength": 1000
  },
  "clientId": {
    "maxLength": 1000
  },
  "clientSecret": {
    "maxLength": 4096,
    "format": "password"
  },
  "acrValues": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const ContactSearch = {
  "search": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const Conversation = {
  "conversationId": {
    "maxLength": 1000
  },
  "type": {
    "maxLength": 1000
  },
  "conversationStatus": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const ConversationResponse = {
  "responseType": {
    "maxLength": 20
  },
  "responseAction": {
    "required": true,
    "enum": [
      "Request",
      "Accept",
      "Decline",
      "Cancel",
      "Interim",
      "Outcome",
      "Appointment",
      "NoShow"
    ]
  },
  "note": {
    "maxLength": 2000,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const CorrectionForm = {
  "patientId": {
    "maxLength": 255
  },
  "firstName": {
    "maxLength": 255
  },
  "middleName": {
    "maxLength": 255
  },
  "lastName": {
    "maxLength": 255
  },
  "gender": {
    "maxLength": 20
  },
  "streetAddress1": {
    "maxLength": 255
  },
  "streetAddress2": {
    "maxLength": 255
  },
  "city": {
    "maxLength": 255
  },
  "state": {
    "maxLength": 50
  },
  "postalCode": {
    "maxLength": 20
  },
  "telephone": {
    "maxLength": 50
  },
  "visitId": {
    "maxLength": 255
  },
  "country": {
    "maxLength": 100
  }
} as const satisfies Limits;

export const CountLimit = {
  "count": {
    "required": true
  }
} as const satisfies Limits;

export const DeclineForm = {
  "reason": {
    "required": true,
    "minLength": 1,
    "maxLength": 500,
    "message": "Please say why, in up to 500 characters."
  }
} as const satisfies Limits;

export const DirectSettingsForm = {
  "certificate": {
    "required": true,
    "enum": [
      "Renew",
      "Revoke"
    ]
  }
} as const satisfies Limits;

export const DirectoryEntryForm = {
  "responderType": {
    "required": true,
    "enum": [
      "DirectResponder",
      "ChildLocation",
      "GatewayResponder",
      "GatewayMember",
      "InitiatorOnly",
      "passthrough"
    ]
  },
  "organizationId": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "format": "oid",
    "message": "Please enter a valid value for this field."
  },
  "homeCommunityId": {
    "maxLength": 255,
    "format": "oid",
    "message": "Please enter a valid value for this field."
  },
  "displayName": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "legalName": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "otherNames": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "parentOrgId": {
    "maxLength": 255,
    "format": "oid",
    "message": "Please enter a valid value for this field."
  },
  "address": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "city": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "state": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "zipCode": {
    "required": true,
    "minLength": 1,
    "maxLength": 10,
    "message": "Please enter a valid value for this field."
  },
  "country": {
    "required": true,
    "minLength": 2,
    "maxLength": 2,
    "pattern": "^(?:[A-Za-z]{2})$",
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const DirectorySearchRequest = {
  "firstName": {
    "maxLength": 1000
  },
  "lastName": {
    "maxLength": 1000
  },
  "organizationName": {
    "maxLength": 1000
  },
  "city": {
    "maxLength": 1000
  },
  "state": {
    "maxLength": 1000
  },
  "zip": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const Discarding = {
  "reason": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const DisclosuresForm = {
  "lastName": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "firstName": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const DocumentSourceLink = {
  "organizationId": {
    "required": true
  },
  "documentSourceId": {
    "required": true
  }
} as const satisfies Limits;

export const DocumentTypeForm = {
  "name": {
    "required": true,
    "minLength": 2,
    "maxLength": 100,
    "message": "Please enter a name of 2 to 100 characters."
  },
  "code": {
    "maxLength": 20,
    "format": "loinc",
    "message": "This is not a valid LOINC code. Please check its digits (example: 11488-4)."
  }
} as const satisfies Limits;

export const DraftFile = {
  "id": {
    "required": true
  }
} as const satisfies Limits;

export const DraftRequest = {
  "subject": {
    "maxLength": 255
  },
  "fromAddress": {
    "maxLength": 254
  },
  "toAddress": {
    "maxLength": 30000
  },
  "toAddresses": {
    "maxLength": 1000
  },
  "ccAddresses": {
    "maxLength": 1000
  },
  "bccAddresses": {
    "maxLength": 1000
  },
  "body": {
    "maxLength": 100000
  },
  "comments": {
    "maxLength": 4000
  },
  "reasonForDisclosure": {
    "maxLength": 255
  },
  "releaseType": {
    "maxLength": 255
  },
  "classification": {
    "maxLength": 255
  },
  "conversion": {
    "maxLength": 1000
  },
  "fromFaxNumber": {
    "maxLength": 1000
  },
  "mode": {
    "enum": [
      "send",
      "forward",
      "reply"
    ]
  },
  "confirmedFaxNumbers": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const DryRunRequest = {
  "cursor": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const EmailCodesRequest = {
  "password": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const EmergencyForm = {
  "name": {
    "required": true,
    "minLength": 1,
    "maxLength": 1000,
    "message": "Please enter a name of at most 1,000 characters."
  },
  "organizations": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const EmergencyOrganizationForm = {
  "oid": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "format": "oid",
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const EndpointOfRule = {
  "ipAddress": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter an IP address or a host name, optionally with a path."
  },
  "port": {
    "maxLength": 5,
    "pattern": "^(?:[0-9]*)?$",
    "message": "Please enter a port from 1 to 65535."
  },
  "oid": {
    "maxLength": 255,
    "format": "oid",
    "message": "Please enter an OID, such as 2.16.840.1.113883.3.1."
  }
} as const satisfies Limits;

export const ExportRequest = {
  "form": {
    "enum": [
      "Printed",
      "StructuredExport",
      "PDFExport",
      "NativeExport"
    ]
  }
} as const satisfies Limits;

export const FaxCoverForm = {
  "logo": {
    "maxLength": 1000
  },
  "notice": {
    "maxLength": 1500,
    "message": "Please enter a valid value for this field."
  },
  "version": {
    "required": true
  }
} as const satisfies Limits;

export const FaxLogSearch = {
  "direction": {
    "maxLength": 1000
  },
  "outcome": {
    "maxLength": 1000
  },
  "number": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const FaxSettings = {
  "timeZone": {
    "maxLength": 1000
  },
  "areaCode": {
    "maxLength": 1000
  },
  "quietFrom": {
    "maxLength": 1000
  },
  "quietUntil": {
    "maxLength": 1000
  },
  "blockedNumbers": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const FaxSourceForm = {
  "directAddressType": {
    "maxLength": 1000
  },
  "fullAddress": {
    "maxLength": 1000
  },
  "displayName": {
    "maxLength": 1000
  },
  "provider": {
    "required": true,
    "enum": [
      "embedded",
      "hylafax",
      "westfax",
      "efax"
    ]
  },
  "callers": {
    "maxLength": 1000
  },
  "senderIds": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const FeatureToggleForm = {
  "name": {
    "required": true,
    "minLength": 4,
    "maxLength": 150,
    "message": "Please enter a name of 4 to 150 characters."
  }
} as const satisfies Limits;

export const FilePatientForm = {
  "patientId": {
    "maxLength": 255
  },
  "firstName": {
    "maxLength": 255
  },
  "middleName": {
    "maxLength": 255
  },
  "lastName": {
    "maxLength": 255
  },
  "gender": {
    "maxLength": 20
  },
  "streetAddress1": {
    "maxLength": 255
  },
  "streetAddress2": {
    "maxLength": 255
  },
  "city": {
    "maxLength": 255
  },
  "state": {
    "maxLength": 50
  },
  "postalCode": {
    "maxLength": 20
  },
  "telephone": {
    "maxLength": 50
  },
  "visitId": {
    "maxLength": 255
  },
  "country": {
    "maxLength": 100
  }
} as const satisfies Limits;

export const FirstOperator = {
  "token": {
    "required": true,
    "minLength": 1,
    "maxLength": 100,
    "format": "password",
    "message": "Please enter a valid value for this field."
  },
  "email": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "format": "email",
    "message": "Please enter a valid value for this field."
  },
  "firstName": {
    "required": true,
    "minLength": 1,
    "maxLength": 100,
    "message": "Please enter a valid value for this field."
  },
  "lastName": {
    "required": true,
    "minLength": 1,
    "maxLength": 100,
    "message": "Please enter a valid value for this field."
  },
  "password": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const ForgotRequest = {
  "userName": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const IdentityForm = {
  "firstName": {
    "maxLength": 1000
  },
  "lastName": {
    "maxLength": 1000
  },
  "dateOfBirth": {
    "maxLength": 1000
  },
  "ssn": {
    "maxLength": 4096,
    "format": "password"
  },
  "phoneNumber": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const InboundConnectionForm = {
  "name": {
    "required": true,
    "minLength": 1,
    "maxLength": 100,
    "message": "Please enter a name of at most 100 characters."
  },
  "kind": {
    "required": true,
    "enum": [
      "Mllp",
      "Xdr"
    ]
  },
  "sendingApplication": {
    "maxLength": 227,
    "message": "Please enter at most 227 characters."
  },
  "sendingFacility": {
    "maxLength": 227,
    "message": "Please enter at most 227 characters."
  },
  "receivingFacility": {
    "maxLength": 227,
    "message": "Please enter at most 227 characters."
  },
  "certificate": {
    "maxLength": 8000,
    "message": "Please paste a certificate in PEM, or its SHA-256 fingerprint of 64 hexadecimal digits."
  },
  "assertionCertificate": {
    "maxLength": 8000,
    "message": "Please paste a certificate in PEM, or its SHA-256 fingerprint of 64 hexadecimal digits."
  },
  "networks": {
    "minLength": 1,
    "maxLength": 50,
    "message": "Please enter addresses or networks, such as 10.2.0.0/16; 20 at most."
  },
  "assignedTo": {
    "maxLength": 255,
    "message": "This person is not a member of the organization."
  },
  "documentType": {
    "maxLength": 255,
    "message": "Please enter at most 255 characters."
  }
} as const satisfies Limits;

export const IntakeFilter = {
  "view": {
    "maxLength": 20
  },
  "statuses": {
    "maxLength": 1000
  },
  "sourceTypes": {
    "maxLength": 1000
  },
  "processedTypes": {
    "maxLength": 1000
  },
  "sources": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const IntakeRuleForm = {
  "sources": {
    "enum": [
      "Direct",
      "Fax",
      "Upload",
      "Interface"
    ]
  },
  "senders": {
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "recipients": {
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "subjects": {
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "documentTypes": {
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "patient": {
    "enum": [
      "Any",
      "Known",
      "Unknown"
    ]
  },
  "patientNames": {
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "tags": {
    "minLength": 1,
    "maxLength": 40,
    "pattern": "^(?:[^,;]+)$",
    "message": "Please enter tags of at most 40 characters without commas."
  },
  "documentType": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "name": {
    "required": true,
    "minLength": 2,
    "maxLength": 100,
    "message": "Please enter a name of 2 to 100 characters."
  }
} as const satisfies Limits;

export const IntakeRuleLink = {
  "organizationId": {
    "required": true
  },
  "intakeRuleId": {
    "required": true
  }
} as const satisfies Limits;

export const IntakeRuleTerms = {
  "sources": {
    "enum": [
      "Direct",
      "Fax",
      "Upload",
      "Interface"
    ]
  },
  "senders": {
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "recipients": {
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "subjects": {
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "documentTypes": {
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "patient": {
    "enum": [
      "Any",
      "Known",
      "Unknown"
    ]
  },
  "patientNames": {
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "tags": {
    "minLength": 1,
    "maxLength": 40,
    "pattern": "^(?:[^,;]+)$",
    "message": "Please enter tags of at most 40 characters without commas."
  },
  "documentType": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const InteroperabilityForm = {
  "exportMode": {
    "required": true,
    "enum": [
      "print",
      "save_as"
    ]
  },
  "exportOption": {
    "required": true,
    "enum": [
      "standard",
      "xds-sd_cda"
    ]
  },
  "exportDirectoryType": {
    "required": true,
    "enum": [
      "single_directory",
      "patient_folder"
    ]
  },
  "gaps": {
    "enum": [
      "ask",
      "refuse"
    ]
  },
  "returnAssignmentsAfterHours": {
    "minimum": 1,
    "maximum": 720
  },
  "recordNumberAuthorities": {
    "minLength": 1,
    "maxLength": 100,
    "message": "Please enter an OID or a name of at most 100 characters."
  }
} as const satisfies Limits;

export const InvitationRequest = {
  "fullName": {
    "maxLength": 1000
  },
  "emailAddress": {
    "maxLength": 1000
  },
  "directAddress": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const JoinRequest = {
  "organizationId": {
    "required": true
  }
} as const satisfies Limits;

export const LicenceIssueForm = {
  "name": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "email": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "format": "email",
    "message": "Please enter a valid value for this field."
  },
  "internalproductname": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "quantity": {
    "required": true,
    "minimum": 1,
    "maximum": 500
  },
  "expiresindays": {
    "required": true,
    "minimum": 1,
    "maximum": 3650
  },
  "company": {
    "required": true
  },
  "applicationname": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "licenseType": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "reference": {
    "required": true,
    "minLength": 1,
    "maxLength": 64,
    "message": "Please enter a reference of 1 to 64 characters."
  },
  "connectorId": {
    "maxLength": 95,
    "pattern": "^(?:(?:[0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2})?$",
    "message": "Please enter the fingerprint as the connector shows it: 64 hexadecimal digits."
  },
  "connectorName": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const LinkRequest = {
  "token": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const ListEntryForm = {
  "name": {
    "required": true,
    "minLength": 2,
    "maxLength": 100,
    "message": "Please enter a name of 2 to 100 characters."
  },
  "code": {
    "maxLength": 64,
    "pattern": "^(?:[A-Za-z0-9._:-]+)?$",
    "message": "Please enter a code of letters, digits, dots, colons and hyphens, without spaces."
  }
} as const satisfies Limits;

export const ListRequest = {
  "cursor": {
    "maxLength": 1000
  },
  "orderBy": {
    "maxLength": 1000
  },
  "orderDir": {
    "maxLength": 1000
  },
  "rules": {
    "maxLength": 1000
  },
  "statuses": {
    "maxLength": 1000
  },
  "sourceTypes": {
    "maxLength": 1000
  },
  "processedTypes": {
    "maxLength": 1000
  },
  "sources": {
    "maxLength": 1000
  },
  "filter": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const LoginRequest = {
  "userName": {
    "maxLength": 1000
  },
  "password": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const MetaRequest = {
  "attachmentMeta": {
    "required": true
  }
} as const satisfies Limits;

export const NamesForm = {
  "reason": {
    "required": true,
    "minLength": 5,
    "maxLength": 250,
    "message": "Please say in 5 to 250 characters why you need to see this."
  }
} as const satisfies Limits;

export const NetworkFeatureForm = {
  "name": {
    "required": true,
    "enum": [
      "SingleSignOn",
      "Referrals"
    ]
  },
  "parent": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const NetworkForm = {
  "name": {
    "required": true,
    "minLength": 3,
    "maxLength": 100,
    "message": "Please enter a name of 3 to 100 characters."
  }
} as const satisfies Limits;

export const NewServiceAccount = {
  "name": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const NoteForm = {
  "text": {
    "required": true,
    "minLength": 1,
    "maxLength": 2000,
    "message": "Please enter a note of up to 2,000 characters."
  }
} as const satisfies Limits;

export const ObjectIds = {
  "objectIds": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const OrganizationForm = {
  "name": {
    "required": true,
    "minLength": 3,
    "maxLength": 50,
    "characters": "[\\p{L}\\p{M}\\p{N} &'.,()/-]"
  },
  "subDomain": {
    "required": true,
    "minLength": 1,
    "maxLength": 63,
    "pattern": "^(?:[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)$",
    "message": "This subdomain already exists, contains invalid characters or is a reserved word, please enter a different one."
  },
  "brandId": {
    "required": true
  },
  "organizationTypeId": {
    "required": true
  },
  "organizationSpecialtyId": {
    "required": true
  },
  "organizationNpi": {
    "maxLength": 15,
    "format": "npi",
    "message": "Please enter a valid value for this field."
  },
  "organizationEmr": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "preferredGroupName": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "activationStatus": {
    "required": true,
    "enum": [
      "Activated",
      "NotActivated"
    ]
  },
  "street": {
    "required": true,
    "minLength": 3,
    "maxLength": 255,
    "pattern": "^(?:.* .*)$",
    "format": "street",
    "message": "A space is required."
  },
  "unit": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "city": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "state": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "zip": {
    "required": true,
    "minLength": 1,
    "maxLength": 10,
    "message": "Please enter a valid value for this field."
  },
  "primaryPhone": {
    "maxLength": 30,
    "format": "phone",
    "message": "Please enter a valid value for this field."
  },
  "primaryFax": {
    "maxLength": 30,
    "format": "phone",
    "message": "Please enter a valid value for this field."
  },
  "hispProviderId": {
    "required": true
  },
  "primaryContactFirstName": {
    "required": true,
    "minLength": 2,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "primaryContactLastName": {
    "required": true,
    "minLength": 2,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "primaryContactEmail": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "format": "email",
    "message": "Please enter a valid value for this field."
  },
  "primaryContactTitle": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "primaryContactNpi": {
    "maxLength": 15,
    "format": "npi",
    "message": "Please enter a valid value for this field."
  },
  "phone": {
    "maxLength": 30,
    "format": "phone",
    "message": "Please enter a valid value for this field."
  },
  "enabledFeatures": {
    "maxLength": 1000
  },
  "allowedPurposeOfUseCodes": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const OrganizationSpecialtyForm = {
  "name": {
    "required": true,
    "minLength": 2,
    "maxLength": 100,
    "message": "Please enter a name of 2 to 100 characters."
  }
} as const satisfies Limits;

export const OtherPatientForm = {
  "otherId": {
    "required": true
  }
} as const satisfies Limits;

export const OtherRecipient = {
  "to": {
    "maxLength": 254
  }
} as const satisfies Limits;

export const OwnDirectAddressForm = {
  "displayName": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const OwnDocumentTypeForm = {
  "name": {
    "required": true,
    "minLength": 2,
    "maxLength": 100,
    "message": "Please enter a name of 2 to 100 characters."
  },
  "code": {
    "maxLength": 20,
    "format": "loinc",
    "message": "This is not a valid LOINC code. Please check its digits (example: 11488-4)."
  }
} as const satisfies Limits;

export const OwnProfileForm = {
  "firstName": {
    "maxLength": 1000
  },
  "lastName": {
    "maxLength": 1000
  },
  "phoneNumber": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const OwnReleaseTypeForm = {
  "name": {
    "required": true,
    "minLength": 2,
    "maxLength": 100,
    "message": "Please enter a name of 2 to 100 characters."
  },
  "conversion": {
    "maxLength": 10
  },
  "destinationAddress": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "classificationCode": {
    "maxLength": 64
  },
  "subject": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const PasskeyAnswer = {
  "challenge": {
    "maxLength": 4096,
    "format": "password"
  },
  "credential": {
    "required": true
  }
} as const satisfies Limits;

export const PasswordAgain = {
  "password": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const PasswordOrCode = {
  "password": {
    "maxLength": 4096,
    "format": "password"
  },
  "code": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const Patient = {
  "patientId": {
    "maxLength": 255
  },
  "firstName": {
    "maxLength": 255
  },
  "middleName": {
    "maxLength": 255
  },
  "lastName": {
    "maxLength": 255
  },
  "gender": {
    "maxLength": 20
  },
  "streetAddress1": {
    "maxLength": 255
  },
  "streetAddress2": {
    "maxLength": 255
  },
  "city": {
    "maxLength": 255
  },
  "state": {
    "maxLength": 50
  },
  "postalCode": {
    "maxLength": 20
  },
  "telephone": {
    "maxLength": 50
  },
  "visitId": {
    "maxLength": 255
  },
  "country": {
    "maxLength": 100
  }
} as const satisfies Limits;

export const PatientForm = {
  "patientId": {
    "maxLength": 255
  },
  "firstName": {
    "maxLength": 255
  },
  "middleName": {
    "maxLength": 255
  },
  "lastName": {
    "maxLength": 255
  },
  "gender": {
    "maxLength": 20
  },
  "streetAddress1": {
    "maxLength": 255
  },
  "streetAddress2": {
    "maxLength": 255
  },
  "city": {
    "maxLength": 255
  },
  "state": {
    "maxLength": 50
  },
  "postalCode": {
    "maxLength": 20
  },
  "telephone": {
    "maxLength": 50
  },
  "visitId": {
    "maxLength": 255
  },
  "country": {
    "maxLength": 100
  }
} as const satisfies Limits;

export const PatientIdentifier = {
  "root": {
    "maxLength": 255
  },
  "id": {
    "maxLength": 255
  }
} as const satisfies Limits;

export const PatientSearch = {
  "text": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "name": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "patientId": {
    "maxLength": 255
  },
  "gender": {
    "maxLength": 20
  },
  "facility": {
    "maxLength": 255
  }
} as const satisfies Limits;

export const PlanChoice = {
  "organizationId": {
    "required": true
  }
} as const satisfies Limits;

export const PlanForm = {
  "name": {
    "required": true,
    "minLength": 2,
    "maxLength": 100,
    "message": "Please enter a name of 2 to 100 characters."
  },
  "tierCode": {
    "required": true,
    "minLength": 1,
    "maxLength": 20,
    "pattern": "^(?:[A-Za-z0-9._-]+)$",
    "message": "Please enter a code of up to 20 letters, digits, dots and hyphens."
  },
  "allowedUsers": {
    "required": true,
    "maximum": 1000000
  },
  "restricted": {
    "enum": [
      "releaseRoute",
      "send",
      "reply",
      "forward",
      "triage",
      "structuredExport"
    ]
  }
} as const satisfies Limits;

export const PlannedPage = {
  "file": {
    "required": true
  },
  "page": {
    "required": true
  },
  "turn": {
    "maximum": 3
  }
} as const satisfies Limits;

export const PlannedPart = {
  "name": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "documentType": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const ProcessRequest = {
  "subject": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "processType": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const ProofingDecision = {
  "userId": {
    "required": true
  },
  "reason": {
    "maxLength": 500,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const PublicHealthSearch = {
  "orgId": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const QhinForm = {
  "qhinName": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "homeCommunityId": {
    "maxLength": 255,
    "format": "oid",
    "message": "Please enter a valid value for this field."
  },
  "patientDiscoveryUrl": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "documentQueryUrl": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "documentRetrieveUrl": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const QuizQuestion = {
  "questionId": {
    "maxLength": 1000
  },
  "questionText": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const ReferralForm = {
  "messageId": {
    "required": true
  },
  "reason": {
    "required": true,
    "minLength": 1,
    "maxLength": 500,
    "message": "Please say why the patient is referred."
  }
} as const satisfies Limits;

export const RegistrationForm = {
  "name": {
    "required": true,
    "minLength": 3,
    "maxLength": 50,
    "characters": "[\\p{L}\\p{M}\\p{N} &'.,()/-]"
  },
  "subDomain": {
    "required": true,
    "minLength": 1,
    "maxLength": 63,
    "pattern": "^(?:[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)$",
    "message": "This subdomain already exists, contains invalid characters or is a reserved word, please enter a different one."
  },
  "organizationTypeId": {
    "required": true
  },
  "organizationSpecialtyId": {
    "required": true
  },
  "street": {
    "required": true,
    "minLength": 3,
    "maxLength": 255,
    "pattern": "^(?:.* .*)$",
    "format": "street",
    "message": "A space is required."
  },
  "unit": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "city": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "state": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "zip": {
    "required": true,
    "minLength": 1,
    "maxLength": 10,
    "message": "Please enter a valid value for this field."
  },
  "primaryPhone": {
    "required": true,
    "minLength": 1,
    "maxLength": 30,
    "format": "phone",
    "message": "Please enter a valid value for this field."
  },
  "primaryContactFirstName": {
    "required": true,
    "minLength": 2,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "primaryContactLastName": {
    "required": true,
    "minLength": 2,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "primaryContactTitle": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "userName": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "format": "email",
    "message": "Username is not valid"
  }
} as const satisfies Limits;

export const RegistrationLinkRequest = {
  "token": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const ReleaseForm = {
  "reason": {
    "required": true,
    "minLength": 1,
    "maxLength": 500,
    "message": "Please say why in at most 500 characters."
  }
} as const satisfies Limits;

export const ReleaseMatch = {
  "statuses": {
    "maxLength": 1000
  },
  "filter": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const ReleaseSearch = {
  "statuses": {
    "maxLength": 1000
  },
  "filter": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "cursor": {
    "maxLength": 1000
  },
  "orderBy": {
    "maxLength": 1000
  },
  "orderDir": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const ReleaseTypeForm = {
  "name": {
    "required": true,
    "minLength": 2,
    "maxLength": 100,
    "message": "Please enter a name of 2 to 100 characters."
  },
  "sendType": {
    "enum": [
      "Original",
      "Pdf",
      "Cda"
    ]
  },
  "classificationCode": {
    "maxLength": 64,
    "pattern": "^(?:[A-Za-z0-9._:-]+)?$",
    "message": "Please enter a code of letters, digits, dots, colons and hyphens, without spaces."
  },
  "subject": {
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const RenamePasskeyRequest = {
  "password": {
    "maxLength": 4096,
    "format": "password"
  },
  "name": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const ReportRequest = {
  "report": {
    "required": true,
    "enum": [
      "DirectAddresses",
      "Organizations",
      "Users",
      "Messages",
      "Devices",
      "ContactsStatistics"
    ]
  }
} as const satisfies Limits;

export const RequestedAddress = {
  "localPart": {
    "required": true,
    "minLength": 1,
    "maxLength": 64,
    "pattern": "^(?:[A-Za-z0-9]+([._\\-][A-Za-z0-9]+)*)$",
    "message": "Please enter letters and digits, with single periods, hyphens or underscores between them."
  },
  "displayName": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const ResellerForm = {
  "name": {
    "required": true,
    "minLength": 2,
    "maxLength": 100,
    "message": "Please enter a name of 2 to 100 characters."
  },
  "type": {
    "required": true,
    "enum": [
      "Licensing",
      "Affiliate"
    ]
  }
} as const satisfies Limits;

export const Resend = {
  "since": {
    "required": true
  }
} as const satisfies Limits;

export const ResendInvitationRequest = {
  "id": {
    "required": true
  },
  "userName": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const ReservedWordForm = {
  "name": {
    "required": true,
    "minLength": 1,
    "maxLength": 63,
    "pattern": "^(?:[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)$",
    "message": "Please enter a word of letters, digits and inner hyphens that is valid in a subdomain."
  }
} as const satisfies Limits;

export const ResetPasswordRequest = {
  "id": {
    "required": true
  }
} as const satisfies Limits;

export const RevealForm = {
  "reason": {
    "required": true,
    "minLength": 5,
    "maxLength": 255,
    "message": "Please enter a reason of 5 to 255 characters."
  }
} as const satisfies Limits;

export const RoutingEndpointForm = {
  "routingRuleId": {
    "required": true
  },
  "ipAddress": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter an IP address or a host name, optionally with a path."
  },
  "port": {
    "maxLength": 5,
    "pattern": "^(?:[0-9]*)?$",
    "message": "Please enter a port from 1 to 65535."
  },
  "oid": {
    "maxLength": 255,
    "format": "oid",
    "message": "Please enter an OID, such as 2.16.840.1.113883.3.1."
  }
} as const satisfies Limits;

export const RoutingRuleForm = {
  "address": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a Direct address of at most 255 characters."
  },
  "stepType": {
    "required": true,
    "enum": [
      "SendAsHL7Step",
      "SendToKeyhieStep",
      "SendAsIti41Step",
      "SendAsXdrStep",
      "SendAsXdrMinimalStep",
      "SendToWebServiceStep",
      "SendToJsonWebServiceStep",
      "SendAsHL7OverVpnStep",
      "SendToKeyhieOverVpnStep",
      "SendAsIti41OverVpnStep",
      "SendAsXdrOverVpnStep",
      "SendToWebServiceOverVpnStep",
      "SendToJsonWebServiceOverVpnStep"
    ]
  },
  "securityType": {
    "required": true,
    "enum": [
      "None",
      "Certificate",
      "MutualTLS",
      "SAML"
    ]
  },
  "customCertificateName": {
    "maxLength": 64,
    "pattern": "^(?:[A-Za-z0-9][A-Za-z0-9_-]*)?$",
    "message": "Please enter a name of letters, digits, hyphens and underscores."
  },
  "convertToFormat": {
    "enum": [
      "CDA",
      "MDM",
      "ORU"
    ]
  },
  "locationCode": {
    "enum": [
      "rrh",
      "smh"
    ]
  },
  "facilityOid": {
    "maxLength": 255,
    "format": "oid",
    "message": "Please enter an OID, such as 2.16.840.1.113883.3.1."
  },
  "keyHieAddress": {
    "maxLength": 255,
    "message": "Please enter at most 255 characters."
  }
} as const satisfies Limits;

export const RoutingSenderForm = {
  "routingRuleId": {
    "required": true
  },
  "organizationId": {
    "required": true
  },
  "organizationOid": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "format": "oid",
    "message": "Please enter an OID, such as 2.16.840.1.113883.3.1."
  },
  "facilityType": {
    "maxLength": 255,
    "message": "Please enter at most 255 characters."
  },
  "facilityTypeCodeId": {
    "maxLength": 255,
    "message": "Please enter at most 255 characters."
  },
  "facilityTypeCodeScheme": {
    "maxLength": 255,
    "message": "Please enter at most 255 characters."
  }
} as const satisfies Limits;

export const RoutingTestForm = {
  "endpointId": {
    "required": true
  }
} as const satisfies Limits;

export const RunRetry = {
  "type": {
    "required": true,
    "enum": [
      "MessageSendWorkflow",
      "MessageReceiveWorkflow"
    ]
  },
  "retryStep": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const RunsFilters = {
  "status": {
    "enum": [
      "Pending",
      "Running",
      "Completed",
      "Failed"
    ]
  },
  "type": {
    "enum": [
      "intake",
      "release"
    ]
  },
  "channel": {
    "enum": [
      "Direct",
      "Fax",
      "Interface"
    ]
  }
} as const satisfies Limits;

export const SavedAddresses = {
  "addresses": {
    "maxLength": 1000
  },
  "version": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const SavedFilterForm = {
  "name": {
    "required": true,
    "minLength": 1,
    "maxLength": 60,
    "message": "Please enter a name of up to 60 characters."
  },
  "filter": {
    "required": true
  }
} as const satisfies Limits;

export const ScreenPreference = {
  "value": {
    "required": true
  }
} as const satisfies Limits;

export const SecurityForm = {
  "idleMinutes": {
    "required": true
  },
  "allowedAddresses": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const SendCodeRequest = {
  "challenge": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const SenderOfRule = {
  "organizationId": {
    "required": true
  },
  "organizationOid": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "format": "oid",
    "message": "Please enter an OID, such as 2.16.840.1.113883.3.1."
  },
  "facilityType": {
    "maxLength": 255,
    "message": "Please enter at most 255 characters."
  },
  "facilityTypeCodeId": {
    "maxLength": 255,
    "message": "Please enter at most 255 characters."
  },
  "facilityTypeCodeScheme": {
    "maxLength": 255,
    "message": "Please enter at most 255 characters."
  }
} as const satisfies Limits;

export const ServiceAccountForm = {
  "name": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Please enter a valid value for this field."
  },
  "clientIpAddresses": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const SetPasswordRequest = {
  "token": {
    "maxLength": 4096,
    "format": "password"
  },
  "password": {
    "maxLength": 4096,
    "format": "password"
  }
} as const satisfies Limits;

export const SetupLink = {
  "token": {
    "required": true,
    "minLength": 1,
    "maxLength": 100,
    "format": "password",
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const SheetForm = {
  "label": {
    "maxLength": 80,
    "message": "A label can have at most 80 characters."
  }
} as const satisfies Limits;

export const SignForm = {
  "password": {
    "maxLength": 4096,
    "format": "password"
  },
  "code": {
    "maxLength": 4096,
    "format": "password"
  },
  "documents": {
    "maxLength": 64
  }
} as const satisfies Limits;

export const SignatureForm = {
  "note": {
    "maxLength": 500,
    "message": "Please enter up to 500 characters."
  }
} as const satisfies Limits;

export const SsoAnswer = {
  "organization": {
    "maxLength": 1000
  },
  "state": {
    "maxLength": 8192
  },
  "code": {
    "maxLength": 8192
  },
  "iss": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const SsoRequest = {
  "connection": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const SubDomainQuestion = {
  "subDomain": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const SyncForm = {
  "oids": {
    "minLength": 1,
    "maxLength": 255,
    "format": "oid",
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const SysAdminForm = {
  "userName": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "format": "email",
    "message": "Username is not valid"
  },
  "firstName": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "First Name is required."
  },
  "lastName": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "message": "Last Name is required."
  },
  "role": {
    "required": true,
    "enum": [
      "SysAdmin",
      "SysAdminReporting"
    ]
  }
} as const satisfies Limits;

export const TicketChange = {
  "state": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const TicketForm = {
  "area": {
    "maxLength": 1000
  },
  "severity": {
    "required": true,
    "minimum": 1,
    "maximum": 4
  },
  "subject": {
    "required": true,
    "minLength": 1,
    "maxLength": 150,
    "message": "Please say in a few words what it is about."
  },
  "details": {
    "required": true,
    "minLength": 1,
    "maxLength": 4000,
    "message": "Please describe what you need, without patient data."
  }
} as const satisfies Limits;

export const TransformRequest = {
  "transforms": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const TrustAnchorForm = {
  "certificate": {
    "required": true,
    "minLength": 1,
    "maxLength": 20000,
    "message": "Please choose or paste a certificate."
  },
  "direction": {
    "enum": [
      "Both",
      "Incoming",
      "Outgoing"
    ]
  }
} as const satisfies Limits;

export const TrustAnchorTerms = {
  "direction": {
    "required": true,
    "enum": [
      "Both",
      "Incoming",
      "Outgoing"
    ]
  }
} as const satisfies Limits;

export const TrustBundleForm = {
  "name": {
    "required": true,
    "minLength": 1,
    "maxLength": 100,
    "message": "Please enter a name of up to 100 characters."
  },
  "url": {
    "required": true,
    "minLength": 1,
    "maxLength": 255,
    "pattern": "^(?:[Hh][Tt][Tt][Pp][Ss]?://\\S+)$",
    "message": "Please enter the web address of a .p7b or .p7m file, of up to 255 characters."
  },
  "signer": {
    "maxLength": 20000,
    "message": "Please choose or paste a certificate."
  }
} as const satisfies Limits;

export const TypedAddresses = {
  "addresses": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const UserForm = {
  "userName": {
    "maxLength": 1000
  },
  "firstName": {
    "maxLength": 1000
  },
  "lastName": {
    "maxLength": 1000
  },
  "phoneNumber": {
    "maxLength": 1000
  },
  "roleName": {
    "enum": [
      "User",
      "Administrator"
    ]
  }
} as const satisfies Limits;

export const UserOrganizationAssignment = {
  "userId": {
    "required": true
  },
  "organizationId": {
    "required": true
  },
  "role": {
    "required": true,
    "enum": [
      "User",
      "Administrator"
    ]
  },
  "jobFunctionId": {
    "required": true
  }
} as const satisfies Limits;

export const UserOrganizationForm = {
  "role": {
    "enum": [
      "User",
      "Administrator"
    ]
  }
} as const satisfies Limits;

export const UserOrganizationRemoval = {
  "userId": {
    "required": true
  },
  "organizationId": {
    "required": true
  }
} as const satisfies Limits;

export const WebhookForm = {
  "name": {
    "required": true,
    "minLength": 1,
    "maxLength": 100,
    "message": "Please enter a valid value for this field."
  },
  "url": {
    "required": true,
    "minLength": 1,
    "maxLength": 500,
    "format": "secure-url",
    "message": "Please enter an https address, such as https://hooks.example.org/carepost."
  },
  "events": {
    "maxLength": 1000
  },
  "authenticationType": {
    "maxLength": 1000
  },
  "userName": {
    "maxLength": 200,
    "pattern": "^(?:[^:]*)?$",
    "message": "A user name cannot contain a colon."
  },
  "credential": {
    "maxLength": 1000,
    "format": "password",
    "message": "Please enter a valid value for this field."
  }
} as const satisfies Limits;

export const WestfaxNumber = {
  "number": {
    "maxLength": 1000
  },
  "displayName": {
    "maxLength": 1000
  }
} as const satisfies Limits;

export const WhitelistForm = {
  "name": {
    "required": true,
    "minLength": 2,
    "maxLength": 100,
    "message": "Please enter a name of 2 to 100 characters."
  },
  "integrationId": {
    "required": true,
    "enum": [
      "ServiceAccounts",
      "Webhooks",
      "SingleSignOn",
      "FaxAccounts"
    ]
  }
} as const satisfies Limits;

export const WorkflowRetryForm = {
  "type": {
    "enum": [
      "send",
      "receive"
    ]
  },
  "retryStep": {
    "enum": [
      "Deliver",
      "RenderFax",
      "SubmitFax",
      "AwaitNotices",
      "Open",
      "OpenFax",
      "OpenInterface",
      "Notify"
    ]
  },
  "workflowIds": {
    "maxLength": 1000
  },
  "cause": {
    "maxLength": 1000
  }
} as const satisfies Limits;
