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
  }
} as const satisfies Limits;

export const AddPasskeyRequest = {
  "credential": {
    "required": true
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
  }
} as const satisfies Limits;

export const Assignment = {
  "documentSourceId": {
    "required": true
  }
} as const satisfies Limits;

export const ChangeRequest = {
  "orgId": {
    "required": true
  }
} as const satisfies Limits;

export const CodeAnswer = {
  "method": {
    "required": true,
    "enum": [
      "app",
      "passkey",
      "email",
      "recovery"
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
    "pattern": "[A-Za-z]{2}",
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

export const DraftFile = {
  "id": {
    "required": true
  }
} as const satisfies Limits;

export const FaxSourceForm = {
  "provider": {
    "required": true,
    "enum": [
      "embedded",
      "hylafax",
      "westfax",
      "efax"
    ]
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

export const JoinRequest = {
  "organizationId": {
    "required": true
  }
} as const satisfies Limits;

export const MetaRequest = {
  "attachmentMeta": {
    "required": true
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
    "pattern": "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?",
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
    "maxLength": 10,
    "format": "npi",
    "message": "Please enter a valid value for this field."
  },
  "organizationEmr": {
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
    "pattern": ".* .*",
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
    "maxLength": 10,
    "format": "npi",
    "message": "Please enter a valid value for this field."
  },
  "phone": {
    "maxLength": 30,
    "format": "phone",
    "message": "Please enter a valid value for this field."
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

export const PasskeyAnswer = {
  "credential": {
    "required": true
  }
} as const satisfies Limits;

export const PlanChoice = {
  "organizationId": {
    "required": true
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
    "pattern": "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?",
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
    "pattern": ".* .*",
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

export const ResendInvitationRequest = {
  "id": {
    "required": true
  }
} as const satisfies Limits;

export const ReservedWordForm = {
  "name": {
    "required": true,
    "minLength": 1,
    "maxLength": 63,
    "pattern": "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?",
    "message": "Please enter a word of letters, digits and inner hyphens, as it would stand in a subdomain."
  }
} as const satisfies Limits;

export const ResetPasswordRequest = {
  "id": {
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

export const UserForm = {
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

export const UserOrganizationRemoval = {
  "userId": {
    "required": true
  },
  "organizationId": {
    "required": true
  }
} as const satisfies Limits;
