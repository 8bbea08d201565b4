// Written by scripts/gen-api.mjs from openapi.json. Do not edit.
import type { Limits } from './limits';

export const Acceptance = {
  type: {
    required: true,
    enum: ['standard', 'brand', 'reseller'],
  },
} as const satisfies Limits;

export const AddPasskeyRequest = {
  credential: {
    required: true,
  },
} as const satisfies Limits;

export const Assignment = {
  documentSourceId: {
    required: true,
  },
} as const satisfies Limits;

export const ChangeRequest = {
  orgId: {
    required: true,
  },
} as const satisfies Limits;

export const CodeAnswer = {
  method: {
    required: true,
    enum: ['app', 'passkey', 'email', 'recovery'],
  },
} as const satisfies Limits;

export const DirectoryEntryForm = {
  responderType: {
    enum: ['DirectResponder', 'ChildLocation', 'GatewayResponder', 'GatewayMember', 'InitiatorOnly', 'passthrough'],
  },
} as const satisfies Limits;

export const DocumentSourceLink = {
  organizationId: {
    required: true,
  },
  documentSourceId: {
    required: true,
  },
} as const satisfies Limits;

export const DraftFile = {
  id: {
    required: true,
  },
} as const satisfies Limits;

export const FaxSourceForm = {
  provider: {
    required: true,
    enum: ['embedded', 'hylafax', 'westfax', 'efax'],
  },
} as const satisfies Limits;

export const IntakeRuleLink = {
  organizationId: {
    required: true,
  },
  intakeRuleId: {
    required: true,
  },
} as const satisfies Limits;

export const JoinRequest = {
  organizationId: {
    required: true,
  },
} as const satisfies Limits;

export const MetaRequest = {
  attachmentMeta: {
    required: true,
  },
} as const satisfies Limits;

export const OrganizationForm = {
  activationStatus: {
    enum: ['Activated', 'NotActivated'],
  },
} as const satisfies Limits;

export const PasskeyAnswer = {
  credential: {
    required: true,
  },
} as const satisfies Limits;

export const PlanChoice = {
  organizationId: {
    required: true,
  },
} as const satisfies Limits;

export const ProofingDecision = {
  userId: {
    required: true,
  },
} as const satisfies Limits;

export const ResendInvitationRequest = {
  id: {
    required: true,
  },
} as const satisfies Limits;

export const ResetPasswordRequest = {
  id: {
    required: true,
  },
} as const satisfies Limits;

export const SecurityForm = {
  idleMinutes: {
    required: true,
  },
} as const satisfies Limits;

export const UserForm = {
  roleName: {
    enum: ['User', 'Administrator'],
  },
} as const satisfies Limits;

export const UserOrganizationAssignment = {
  userId: {
    required: true,
  },
  organizationId: {
    required: true,
  },
  role: {
    required: true,
    enum: ['User', 'Administrator'],
  },
  jobFunctionId: {
    required: true,
  },
} as const satisfies Limits;

export const UserOrganizationRemoval = {
  userId: {
    required: true,
  },
  organizationId: {
    required: true,
  },
} as const satisfies Limits;
