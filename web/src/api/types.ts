/** Shapes of requests and answers. Ids are lower-case UUIDs, times RFC 3339 UTC, dates YYYY-MM-DD. */

export type Role = 'User' | 'Administrator' | 'SysAdmin' | 'SysAdminReporting';

export type ProblemDetails = {
  type?: string;
  title?: string;
  status?: number;
  message?: string | null;
  /** Field name to the texts to show under that field. */
  modelState?: Record<string, string[]> | null;
  reason?: string | null;
  errorId?: string | null;
};

export type Token = { accessToken: string; expiresIn: number };
export type DemoAccount = { userName: string; password: string; role: string; organization?: string | null };
export type Branding = {
  brandId?: string | null;
  name: string;
  displayName: string;
  logoUrl?: string | null;
  /** Ten steps from light to dark; empty for the product's own palette. */
  brandColors?: string[];
  demo?: boolean;
  demoAccounts?: DemoAccount[] | null;
};
export type ProfileOrganization = { id: string; name: string; subDomain?: string | null };
export type Profile = {
  userId: string;
  userName: string;
  fullName: string;
  roles: string[];
  uiResources?: Record<string, string[]>;
  organizationId?: string | null;
  organizationName?: string | null;
  organizations: ProfileOrganization[];
  domain?: string | null;
  host?: string | null;
  administerOfNetworkObjectId?: string | null;
  isAdmin?: boolean;
  isNetworkAdmin?: boolean;
  authStrategy?: string | null;
  orgIsActivated?: boolean;
  orgIsCancelled?: boolean;
  orgIsInGracePeriod?: boolean;
  brandId?: string | null;
  idleTimeoutSeconds?: number | null;
};
export type Feature = { name: string; isEnabled: boolean };
export type FileExtension = { extension: string; mimeType: string; previewable: boolean };
export type DocumentType = { id: string; name: string; source?: string | null };
export type Classification = { code: string; name: string };
export type ReleaseType = {
  id: string;
  name: string;
  organizationId?: string | null;
  sendType?: string | null;
  originAddressId?: string | null;
  destinationAddress?: string | null;
  classificationCode?: string | null;
  trackFaxResponses?: boolean;
};
/** Status: 0 Provisioning, 1 Activated, 2 Pending Update, 3 Pending Deletion, 4 Deleted, 5 Failed. */
export type DocumentSource = { id: string; fullAddress: string; type: string; status: number; displayName?: string | null };
export type Contact = { name: string; company?: string | null; value: string };
export type AddressCheck = { address: string; isValid: boolean; message?: string | null };
export type InteroperabilitySettings = {
  exportMode?: string | null;
  exportOption?: string | null;
  exportDirectoryType?: string | null;
  exportVisitDirectory?: boolean;
  nonPatientExport?: boolean;
  suppressDefaultFaxCoverSheet?: boolean;
  suppressFaxMetadataPages?: boolean;
  deliverySummaryEnableDownload?: boolean;
};
export type AuditEntry = { id: string; createdBy: string; eventType: string; createdOn: string };
export type Person = { id: string; name: string };

export type MessageStatus = 'Received' | 'Uploaded' | 'Triaged' | 'Pending' | 'Processed' | 'Forwarded' | 'Replied' | 'Failed';
export type SourceType = 'DirectMessage' | 'Fax' | 'Upload' | 'Triage';

export type IntakeRequest = {
  pageStart: number;
  pageSize: number;
  cursor?: string | null;
  orderBy?: string;
  orderDir?: string;
  startDate?: string | null;
  endDate?: string | null;
  rules?: string[];
  statuses?: string[];
  isAll?: boolean;
  isUnassigned?: boolean;
  isAssignedToSelf?: boolean;
  isUrgent?: boolean;
  sourceTypes?: string[];
  processedTypes?: string[];
  sources?: string[];
  filter?: string | null;
};
export type IntakeItem = {
  id: string;
  subject: string;
  createdDate: string;
  fromAddress: string;
  fromName?: string | null;
  toAddress: string;
  patientName?: string | null;
  documentType?: string | null;
  status: string;
  processedType?: string | null;
  processTypes?: string[];
  sourceType: string;
  attachmentCount?: number;
  properties?: { faxPageCount?: number | null } | null;
  recent?: boolean;
  isRead: boolean;
  isUrgent?: boolean;
  assignedTo?: Person | null;
  openedBy?: { userId: string; name: string }[];
};
export type IntakeCounts = { all: number; unassigned: number; assignedToSelf: number; urgent: number; unread: number };
export type IntakePage = {
  items: IntakeItem[];
  totalCount: number;
  totalIsCapped?: boolean;
  nextCursor?: string | null;
  /** Absent while searching. */
  counts?: IntakeCounts | null;
};

export type DeliveryCounts = { queued: number; sent: number; processed: number; delivered: number; failed: number; uncertain: number };
export type ReleaseItem = {
  id: string;
  subject: string;
  createdDate: string;
  messageDate?: string | null;
  fromAddress?: string | null;
  toAddress?: string | null;
  toAddresses?: string[];
  patientName?: string | null;
  status: string;
  isDraft: boolean;
  attachmentCount?: number;
  releaseType?: string | null;
  delivery?: DeliveryCounts | null;
};
export type ReleasePage = { items: ReleaseItem[]; totalCount: number; totalIsCapped?: boolean };

export type PatientId = { root: string; id: string };
export type Patient = {
  patientId?: string | null;
  firstName?: string | null;
  middleName?: string | null;
  lastName?: string | null;
  birthDate?: string | null;
  /** M, F or UN. */
  gender?: string | null;
  streetAddress1?: string | null;
  streetAddress2?: string | null;
  city?: string | null;
  state?: string | null;
  postalCode?: string | null;
  telephone?: string | null;
  visitId?: string | null;
  visitDate?: string | null;
  patientIds?: PatientId[] | null;
  fullName?: string | null;
  country?: string | null;
};
export type AttachmentMeta = {
  documentType?: string | null;
  documentDate?: string | null;
  documentDateType?: string | null;
  confidentiality?: string | null;
  documentDescription?: string | null;
  patient?: Patient | null;
};
export type Attachment = {
  id: string;
  messageId: string;
  fileName: string;
  mimeType: string;
  sizeInBytes: number;
  previewAvailable: string;
  isPreviewAvailable?: boolean;
  previewError?: string | null;
  transformStatus?: string | null;
  isRestorable?: boolean;
  pageCount?: number | null;
  isStructured?: boolean;
  createdDate?: string | null;
  attachmentMeta?: AttachmentMeta | null;
};
export type Delivery = {
  id: string;
  address: string;
  name?: string | null;
  kind: string;
  role: string;
  state: string;
  reason?: string | null;
  attempt?: number;
  acceptedAt?: string | null;
  sentAt?: string | null;
  processedAt?: string | null;
  deliveredAt?: string | null;
  failedAt?: string | null;
  expectedBy?: string | null;
  wantsDispatched?: boolean;
};
export type MessageProperties = {
  includeCoverPage?: boolean | null;
  includeMessageBody?: boolean | null;
  includeAttachmentDescriptions?: boolean | null;
  faxPageCount?: number | null;
};
export type Message = {
  id: string;
  direction: string;
  subject?: string | null;
  fromAddress?: string | null;
  fromName?: string | null;
  toAddress?: string | null;
  toAddresses?: string[];
  ccAddress?: string | null;
  bccAddress?: string | null;
  body?: string | null;
  bodyHtml?: string | null;
  comments?: string | null;
  reasonForDisclosure?: string | null;
  origin?: string | null;
  isDraft?: boolean;
  isRead?: boolean;
  isUrgent?: boolean;
  createdDate: string;
  messageDate?: string | null;
  systemReceivedDate?: string | null;
  releaseType?: string | null;
  releaseTypeId?: string | null;
  originalObjectId?: string | null;
  classification?: string | null;
  attachments: Attachment[];
  patient?: Patient | null;
  conversion?: string | null;
  attachments2PDF?: boolean | null;
  attachments2CDA?: boolean | null;
  properties?: MessageProperties | null;
  conversation?: { conversationId: string; type?: string | null; conversationStatus?: string | null } | null;
  isReadyForDeliverySummary?: boolean;
  status: string;
  processedType?: string | null;
  isProcessed?: boolean;
  sourceType?: string | null;
  messageIdHeader?: string | null;
  assignedTo?: Person | null;
  workflowId?: string | null;
  version?: number;
  sentBy?: string | null;
  deliveries?: Delivery[];
  previousId?: string | null;
  nextId?: string | null;
};
export type MessageInput = Partial<
  Pick<
    Message,
    | 'subject'
    | 'fromAddress'
    | 'toAddress'
    | 'toAddresses'
    | 'body'
    | 'comments'
    | 'reasonForDisclosure'
    | 'releaseTypeId'
    | 'releaseType'
    | 'classification'
    | 'patient'
    | 'conversion'
    | 'attachments2PDF'
    | 'attachments2CDA'
    | 'properties'
    | 'originalObjectId'
    | 'conversation'
  >
> & { ccAddresses?: string[]; bccAddresses?: string[]; attachments?: { id: string; attachmentMeta?: AttachmentMeta | null }[] };
export type Sent = { id: string; status: string; workflowId?: string | null };
/** `narrativeHtml` is a safe fragment. */
export type OutlineSection = { id: string; title: string; entryCount: number; narrativeHtml: string; sections: OutlineSection[] };
export type CdaOutline = { title: string; standard?: string | null; sections: OutlineSection[]; unstructured?: { note: string } | null };
export type ExtractedPatient = { status: string; patient?: Patient | null };

type List<T> = { items: T[]; totalCount?: number };

type Op<Answer, Body = never, Query = never> = {
  parameters: { query?: Query; header?: never; path?: never; cookie?: never };
  responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': Answer } } };
} & ([Body] extends [never] ? { requestBody?: never } : { requestBody: { content: { 'application/json': Body } } });
type At<Path, Operation> = Omit<Operation, 'parameters'> & {
  parameters: Operation extends { parameters: { query?: infer Q } } ? { query?: Q; header?: never; path: Path; cookie?: never } : never;
};
type Id = { id: string };
type Attached = { id: string; attachmentId: string };

export type OrganizationRow = {
  id: string;
  orgId: number | string;
  name: string;
  networkName?: string | null;
  subDomain?: string | null;
  resellerName?: string | null;
  tierCode?: string | null;
  isActivated: boolean;
  isEnabled: boolean;
  loginType?: string | null;
  apiCapture?: boolean;
  isPendingCancellation?: boolean;
};
export type OrganizationPage = { items: OrganizationRow[]; totalCount: number; totalIsCapped?: boolean };
export type Organization = {
  id: string;
  orgId?: number | string | null;
  name: string;
  subDomain: string;
  brandId?: string | null;
  organizationTypeId?: string | null;
  organizationSpecialtyId?: string | null;
  organizationNpi?: string | null;
  organizationEmr?: string | null;
  resellerId?: string | null;
  /** None is the Free plan. */
  planId?: string | null;
  numberOfUsers?: number | null;
  activationStatus?: string | null;
  street?: string | null;
  unit?: string | null;
  city?: string | null;
  state?: string | null;
  zip?: string | null;
  primaryPhone?: string | null;
  primaryFax?: string | null;
  hispProviderId?: string | null;
  primaryContactFirstName?: string | null;
  primaryContactLastName?: string | null;
  primaryContactEmail?: string | null;
  primaryContactTitle?: string | null;
  primaryContactNpi?: string | null;
  phone?: string | null;
  networkDbId?: string | null;
  enabledFeatures?: string[];
  allowedPurposeOfUseCodes?: string[];
  isEnabled?: boolean;
  apiCapture?: boolean;
  version?: number;
};
export type OrganizationInput = Partial<Omit<Organization, 'id' | 'orgId' | 'isEnabled' | 'apiCapture'>>;
export type ActivationRequest = { id: string; activated: boolean; sendEmail: boolean; seedRecords: boolean };
export type NpiResult = {
  number: string;
  basic?: {
    name?: string | null;
    organizationName?: string | null;
    authorizedOfficialFirstName?: string | null;
    authorizedOfficialMiddleName?: string | null;
    authorizedOfficialLastName?: string | null;
    organizationalSubpart?: string | null;
    authorizedOfficialTelephoneNumber?: string | null;
    status?: string | null;
  } | null;
  addresses?: {
    address_1?: string | null;
    address_2?: string | null;
    city?: string | null;
    state?: string | null;
    postalCode?: string | null;
  }[];
};
export type Reseller = { id: string; name: string; type: string };
/** -1 allowed users are unlimited; the Free plan has no id. */
export type Plan = { id: string | null; name: string; allowedUsers: number; allowedUsersDescription?: string | null };

/** The operations the app calls, in the form the client library reads. */
export interface paths {
  '/api/account/login': { post: Op<Token, { userName: string; password: string }> };
  '/api/account/renew': { post: Op<Token> };
  '/api/account/logout': { post: Op<undefined> };
  '/api/account/change': { post: Op<{ data?: boolean | null }, { orgId: string }> };
  '/api/account/hubticket': { post: Op<{ ticket: string; expiresIn?: number }> };
  '/api/branding': { get: Op<Branding> };
  '/api/users/profiledata': { get: Op<Profile> };
  '/api/users/assignable': { get: Op<List<Person>> };
  '/api/features': { get: Op<{ features: Feature[] }> };
  '/api/entitysettings/Brand/{brandId}': { get: At<{ brandId: string }, Op<{ settings: Record<string, string> }>> };
  '/api/attachments/extensions': { get: Op<{ extensions: FileExtension[] }> };
  '/api/documenttypes': { get: Op<List<DocumentType>, never, { sort?: string; page?: number; size?: number }> };
  '/api/releasetypes': { get: Op<{ releaseTypes: ReleaseType[] }> };
  '/api/messages/classifications': { get: Op<List<Classification>> };
  '/api/documentsources/release': { get: Op<List<DocumentSource>, never, { userId?: string }> };
  '/api/contacts': { get: Op<List<Contact>, never, { search?: string; pageStart?: number; pageSize?: number }> };
  '/api/directory/validate': { get: Op<List<AddressCheck>, never, { addresses: string[] }> };
  '/api/settings/interoperability': { get: Op<InteroperabilitySettings> };
  '/api/integrations/capabilities': { get: Op<Record<string, boolean>> };
  '/api/directaddresscache': { get: Op<{ addresses: string[] }>; put: Op<{ addresses: string[] }, { addresses: string[] }> };
  '/api/audit/{type}/{id}': {
    get: At<
      { type: string; id: string },
      Op<List<AuditEntry>, never, { eventType?: string; start?: string; end?: string; page?: number; pageSize?: number }>
    >;
  };
  '/api/audit/types': { get: Op<{ items: string[] }> };
  '/api/intake': { post: Op<IntakePage, IntakeRequest> };
  '/api/messages': {
    get: Op<ReleasePage, never, { pageSize?: number; pageStart?: number; isDraft?: boolean; filter?: string; statuses?: string }>;
    post: Op<IntakePage, IntakeRequest>;
    put: Op<Message, MessageInput>;
  };
  '/api/messages/{id}': { get: At<Id, Op<Message>>; put: At<Id, Op<Message, MessageInput>>; delete: At<Id, Op<{ message?: string }>> };
  '/api/messages/{id}/patient': { put: At<Id, Op<Message, Patient>> };
  '/api/messages/{id}/read': { put: At<Id, Op<undefined>> };
  '/api/messages/{id}/process': {
    put: At<Id, Op<Message, { isProcessed: boolean; subject?: string | null; processType?: string | null }>>;
  };
  '/api/messages/{id}/assign': { put: At<Id, Op<Message, { userId: string | null; urgent?: boolean }>> };
  '/api/messages/{id}/copy': { post: At<Id, Op<{ id: string }>> };
  '/api/messages/{id}/send': { post: At<Id, Op<Sent, MessageInput>> };
  '/api/messages/{id}/forward': { post: At<Id, Op<Sent, MessageInput>> };
  '/api/messages/{id}/reply': { post: At<Id, Op<Sent, MessageInput>> };
  '/api/messages/{id}/attachments/{attachmentId}': {
    put: At<Attached, Op<Attachment, { attachmentMeta: AttachmentMeta }>>;
    delete: At<Attached, Op<undefined>>;
  };
  '/api/messages/{id}/attachments/{attachmentId}/metadata': { get: At<Attached, Op<Attachment>> };
  '/api/messages/{id}/attachments/{attachmentId}/read': { put: At<Attached, Op<undefined>> };
  '/api/messages/{id}/attachments/{attachmentId}/generatePreview': { put: At<Attached, Op<Attachment>> };
  '/api/messages/{id}/attachments/{attachmentId}/outline': { get: At<Attached, Op<CdaOutline>> };
  '/api/messages/{id}/attachments/{attachmentId}/patient/extract': {
    put: At<Attached, Op<{ status: string }>>;
    get: At<Attached, Op<ExtractedPatient>>;
  };
  '/api/messages/{id}/attachments/{attachmentId}/patient': { get: At<Attached, Op<{ patient?: Patient | null } & Patient>> };
  '/api/subscriptionplans/upgraderequest': { post: Op<undefined> };
  '/api/organizations': {
    get: Op<OrganizationPage, never, { cancelling?: boolean; search?: string; sortDir?: string; pageNumber?: number; pageSize?: number }>;
    post: Op<Organization, OrganizationInput>;
  };
  '/api/organizations/types': { get: Op<List<Person>> };
  '/api/organizations/specialties': { get: Op<List<Person>> };
  '/api/organizations/subdomain/exists': { get: Op<{ exists: boolean }, never, { id?: string; subdomain: string }> };
  '/api/organizations/subdomain/isvalid': {
    get: Op<{ isValid: boolean; message?: string | null }, never, { organizationId?: string; subdomain: string }>;
  };
  '/api/organizations/{id}': {
    get: At<Id, Op<Organization>>;
    put: At<Id, Op<Organization, OrganizationInput>>;
    delete: At<Id, Op<undefined>>;
  };
  '/api/organizations/{id}/clearcancel': { post: At<Id, Op<undefined>> };
  '/api/organizations/{id}/activate': { put: At<Id, Op<undefined, ActivationRequest>> };
  '/api/organizations/{id}/enable': { put: At<Id, Op<undefined, { enable: boolean }>> };
  '/api/organizations/{id}/sync': { post: At<Id, Op<undefined>> };
  '/api/organizations/{id}/apicapture': { put: At<Id, Op<undefined, { enable: boolean }>> };
  '/api/admin/organizations/npi': { get: Op<List<NpiResult>, never, { npiNumber: string }> };
  '/api/admin/documentsources/documentsourceproviders': {
    get: Op<List<Person>, never, { pageNumber?: number; pageSize?: number; type?: string }>;
  };
  '/api/admin/brands': { get: Op<{ data: Person[] }, never, { pageSize?: number }> };
  '/api/resellers': { get: Op<List<Reseller>> };
  '/api/subscriptionplans': { get: Op<List<Plan>, never, { resellerId?: string }> };
  '/api/networks': { get: Op<List<Person>, never, { page?: number; size?: number }> };
  '/api/apicaptureconfig': { get: Op<{ apiCaptureEnabled: boolean }> };
}
