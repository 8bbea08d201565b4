/**
 * The shapes of the API under the names that the screens use. They come from the description of the server
 * (schema.gen.ts); only what the description leaves open is written here.
 */
import type { components, paths as described } from './schema.gen';

type Schemas = components['schemas'];
/** Members that screens rely on are required; the rest may be missing, as in responses of an older node during an upgrade. */
type Answer<T, Known extends keyof T> = Pick<T, Known> & Partial<Omit<T, Known>>;

export type ProblemDetails = Partial<Schemas['Problem']>;

export type AccessToken = Schemas['AccessToken'];
/** A second factor is required. */
export type Challenge = Schemas['Challenge'];
export type Method = Schemas['Method'];
export type SecondFactor = Schemas['SecondFactor'];
export type PasskeyQuestion = Schemas['PasskeyQuestion'];
export type OwnSession = Schemas['OwnSession'];
export type UserPreferences = Schemas['UserPreferences'];
export type RegistrationInput = Schemas['RegistrationForm'];
export type SecuritySettings = Schemas['SecurityView'];
export type SsoSettings = Schemas['SsoView'];
export type SsoConnection = Schemas['ConnectionView'];
export type SsoConnectionInput = Schemas['ConnectionForm'];

export type Signer = Schemas['Signer'];
export type SignedPdf = Schemas['SignedPdf'];
export type SignForm = Schemas['SignForm'];
export type Signers = Schemas['Signers'];
export type SignatureItem = Schemas['SignatureRow'];
export type SignatureView = 'waiting' | 'settled' | 'requested';
export type BulkJob = Schemas['BulkJob'];
export type BulkJobRequest = Schemas['BulkJobRequest'];
export type RefusedMessage = Schemas['RefusedMessage'];

export type FeatureToggle = Schemas['FeatureToggle'];
export type AuditEntry = Schemas['AuditEntry'];
export type AuditRecord = Schemas['AuditRecord'];
export type AuditSearch = Schemas['AuditSearch'];
export type AuditVerification = Schemas['AuditVerification'];
export type InboundConnection = Schemas['InboundConnection'];
export type InboundConnectionKind = Schemas['InboundConnectionKind'];
export type InterfaceRefusal = Schemas['InterfaceRefusal'];
export type IntegrationId = Schemas['IntegrationId'];
export type IntegrationOverview = Schemas['IntegrationOverview'];
export type EhrConnection = Schemas['IntegrationView'];
export type EhrConnectionForm = Schemas['IntegrationForm'];
export type EhrAuthentication = Schemas['IntegrationAuthentication'];
export type EhrCapability = Schemas['IntegrationCapability'];
export type EhrMessageKind = Schemas['IntegrationMessageKind'];
export type ConnectionKind = Schemas['IntegrationType'];
export type ConnectionType = Schemas['IntegrationTypeView'];
export type ConnectedSystem = Schemas['ConnectedSystem'];
export type EhrMapping = Schemas['IntegrationMapping'];
export type EhrMappings = Schemas['IntegrationMappings'];
export type ConnectionState = Schemas['ConnectionState'];
export type ConnectivityReport = Schemas['ConnectivityReport'];
export type TestStep = Schemas['TestStepView'];
export type WhitelistEntry = Schemas['WhitelistEntry'];
export type TrustAnchor = Schemas['TrustAnchor'];
export type TrustAuthority = Schemas['TrustAuthority'];
export type TrustBundle = Schemas['TrustBundle'];
export type TrustDirection = Schemas['TrustDirection'];
export type DryRunVerdict = Schemas['DryRunVerdict'];
export type RoutingConvertFormat = Schemas['RoutingConvertFormat'];
export type RoutingEndpoint = Schemas['RoutingEndpoint'];
export type RoutingLocationCode = Schemas['RoutingLocationCode'];
export type RoutingOutcome = Schemas['RoutingOutcome'];
export type RoutingRule = Schemas['RoutingRule'];
export type RoutingSecurityType = Schemas['RoutingSecurityType'];
export type RoutingSender = Schemas['RoutingSender'];
export type RoutingStepType = Schemas['RoutingStepType'];
export type RoutingTest = Schemas['RoutingTest'];
export type License = Schemas['License'];
export type LicenseList = Schemas['LicenseList'];
export type CapturedCall = Schemas['CapturedCall'];
export type Run = Schemas['Run'];
export type RunStep = Schemas['RunStep'];
export type RunAttempt = Schemas['RunAttempt'];
export type MessagingHealthChannel = Schemas['MessagingHealthChannel'];
export type SystemAlert = Schemas['SystemAlert'];
export type TrafficStats = Schemas['TrafficStats'];
export type TicketState = Schemas['TicketState'];
export type ODataMessage = Schemas['ODataMessage'];
export type ODataAttachment = Schemas['ODataAttachment'];
export type ODataConversion = Schemas['ODataConversion'];
export type ODataEvent = Schemas['ODataEvent'];

export type Webhook = Schemas['Webhook'];
export type WebhookDelivery = Schemas['WebhookDelivery'];

export type Batch = Schemas['BatchView'];
export type BatchFile = Schemas['BatchFile'];
export type BatchRow = Schemas['BatchRow'];
export type PlannedPage = Schemas['PlannedPage'];
export type PlannedPart = Schemas['PlannedPart'];
export type Original = Schemas['OriginalView'];
export type IntakeRule = Schemas['IntakeRule'];
export type DryRunRow = Schemas['DryRunRow'];
export type OwnDirectAddress = Schemas['OwnDirectAddress'];

export type Conversation = Schemas['ConversationView'];
export type ConversationAction = Schemas['StepAction'];
export type TrackedConversation = Schemas['TrackedConversation'];

export type FailedMessage = Schemas['FailedMessage'];
export type KnownPatient = Schemas['KnownPatient'];
export type DifferingDocument = Schemas['DifferingDocument'];
export type PatientView = Schemas['PatientView'];
export type PatientEvent = Schemas['PatientEvent'];
export type DuplicatePair = Schemas['DuplicatePair'];
export type NamedMessage = Schemas['PatientMessage'];
export type BulkAct = Schemas['BulkAct'];
export type MessageEvent = Schemas['MessageEvent'];
export type DirectoryEntry = Schemas['DirectoryEntry'];
export type DirectoryEntryInput = Schemas['DirectoryEntryForm'];

export type DemoAccount = Schemas['DemoAccount'];
export type ProfileOrganization = Answer<Schemas['OrganizationChoice'], 'id' | 'name'>;
export type Profile = Answer<Omit<Schemas['Profile'], 'organizations'>, 'userId' | 'userName' | 'fullName' | 'roles' | 'permissions'> & {
  organizations: ProfileOrganization[];
};
export type Conversion = Schemas['Conversion'];
export type ReleaseType = Answer<Schemas['ReleaseTypeView'], 'id' | 'name'>;
/** Status: 0 Provisioning, 1 Activated, 2 Pending Update, 3 Pending Deletion, 4 Deleted, 5 Failed. */
export type DocumentSource = Answer<Omit<Schemas['DocumentSourceView'], 'type'>, 'id' | 'fullAddress' | 'status'> & { type: string };
export type Contact = Schemas['Contact'];
export type DirectoryResult = Schemas['DirectoryResult'];
export type AddressCheck = Schemas['AddressCheck'];
export type FaxDelivery = Schemas['FaxDelivery'];
export type FaxAttempt = Schemas['FaxAttempt'];
export type FaxSource = Schemas['FaxSource'];
export type FaxSourceInput = Schemas['FaxSourceForm'];
export type FaxAccount = Schemas['AccountView'];
export type FaxAccountInput = Schemas['AccountForm'];
export type FaxProvider = Schemas['FaxProvider'];
export type FaxProviderKind = Schemas['ProviderKind'];
export type FaxSettings = Schemas['FaxSettings'];
export type FaxLogEntry = Schemas['FaxLogEntry'];
export type UnknownFax = Schemas['UnknownFax'];
export type HeldFile = Schemas['HeldFile'];
export type ExportForm = Schemas['ExportForm'];
export type ExportRequest = Schemas['ExportRequest'];
export type Task = Schemas['Task'];
export type TaskFiles = Schemas['TaskFiles'];
export type InteroperabilitySettings = Schemas['Interoperability'];

export type IntakeRequest = Schemas['ListRequest'];
export type IntakeItem = Schemas['IntakeRow'];
export type IntakeCounts = Schemas['IntakeCounts'];
export type IntakeFilter = Schemas['IntakeFilter'];
export type SavedFilter = Schemas['SavedFilter'];
export type Note = Schemas['NoteView'];
export type Duplicate = Schemas['Duplicate'];
export type IntakePage = Answer<Schemas['IntakeList'], 'items'>;
export type ReleaseItem = Answer<Schemas['ReleaseRow'], 'id' | 'subject' | 'createdDate' | 'status' | 'isDraft'>;
export type ReleasePage = Answer<Omit<Schemas['ReleaseList'], 'items'>, 'totalCount'> & { items: ReleaseItem[] };
export type DeliveryCounts = Schemas['DeliveryCounts'];

export type OwnProfile = Schemas['OwnProfile'];
export type OwnProfileInput = Schemas['OwnProfileForm'];
export type PasswordOrCode = Schemas['PasswordOrCode'];
export type PreferencesInput = Schemas['PreferencesForm'];

export type Patient = Schemas['Patient'];
/** Place of a patient's value in a document. */
export type ExtractedMark = Schemas['ReadMark'];
export type PatientMatch = Schemas['PatientMatch'];
export type Proposals = Schemas['Proposals'];
export type ProposalBecause = Schemas['ProposalReason'];
export type AttachmentMeta = Schemas['AttachmentMeta'];
export type Confidentiality = Schemas['Confidentiality'];
export type DocumentDateType = Schemas['DocumentDateType'];
export type Attachment = Answer<
  Omit<Schemas['AttachmentView'], 'attachmentMeta'>,
  'id' | 'messageId' | 'fileName' | 'mimeType' | 'sizeInBytes' | 'previewAvailable'
> & { attachmentMeta?: AttachmentMeta | null };
export type FilePart = Schemas['FilePart'];
export type CachedDocument = Schemas['CachedDocument'];
export type Delivery = Answer<Schemas['DeliveryView'], 'id' | 'address' | 'kind' | 'role' | 'state'>;
export type Message = Answer<
  Omit<Schemas['MessageView'], 'attachments' | 'deliveries'>,
  'id' | 'direction' | 'createdDate' | 'status' | 'patientVersion' | 'notes'
> & {
  attachments: Attachment[];
  deliveries?: Delivery[];
};
export type MessageInput = Schemas['DraftRequest'];

/** `narrativeHtml` is a safe fragment. */
type CdaMeasure = { value: number; unit?: string | null; low?: number | null; high?: number | null; time?: string | null };
/** A text for each column; lines are separated by line feeds. */
export type CdaEntry = {
  cells: string[];
  code?: string | null;
  flag?: string | null;
  measure?: CdaMeasure | null;
  /** The earlier document does not have it; unknown without one. */
  isNew?: boolean;
};
export type CdaEntries = { heads: string[]; rows: CdaEntry[]; leftOut: number };
export type OutlineSection = {
  id: string;
  title: string;
  code?: { code: string } | null;
  entryCount: number;
  entries?: CdaEntries | null;
  narrativeHtml: string;
  sections: OutlineSection[];
};
/** The previous document of the same patient. */
export type EarlierDocument = {
  messageId: string;
  attachmentId: string;
  title: string;
  effectiveTime?: string | null;
  receivedDate: string;
};
export type CdaOutline = {
  title: string;
  comparedWith?: EarlierDocument | null;
  standard?: string | null;
  sections: OutlineSection[];
  unstructured?: { note: string } | null;
  /** Notes for readers: how the file was repaired, or that it could not be. */
  notice?: string | null;
};

export type MessagingHealth = Schemas['MessagingHealth'];
export type OpenUpgradeRequest = Schemas['OpenUpgradeRequest'];
export type AdminUserRow = Schemas['AdminUserRow'];
export type DocumentReview = Schemas['DocumentReview'];
export type DescribedAddress = Schemas['DescribedAddress'];
export type OrganizationRow = Schemas['OrganizationRow'];
export type Organization = Answer<Schemas['Organization'], 'id' | 'name' | 'subDomain'>;
export type OrganizationInput = Schemas['OrganizationForm'];
export type ActivationRequest = Schemas['ActivationRequest'];
export type NpiResult = Schemas['NpiResult'];
export type ListName = described['/api/admin/lists/{list}']['get']['parameters']['path']['list'];
export type ListEntry = Schemas['ListEntry'];
export type PlanFunction = Schemas['PlanFunction'];
export type Reseller = Answer<Schemas['Reseller'], 'id' | 'name' | 'type'>;
/** -1 allowed users are unlimited; the Free plan has no id. */
export type Plan = Answer<Schemas['SubscriptionPlan'], 'name' | 'allowedUsers'>;

export type AlternateOid = Schemas['AlternateOid'];
export type Emergency = Schemas['Emergency'];
export type FoundIdentifier = Schemas['Found'];
export type RetryType = Schemas['RetryType'];
export type RetryStep = Schemas['RetryStep'];
export type FailureCause = Schemas['FailureCause'];
export type WorkflowRetry = Schemas['WorkflowRetry'];
export type WorkflowRetryInput = Schemas['WorkflowRetryForm'];
export type ImportBatch = Schemas['Batch'];
export type ImportItem = Schemas['ImportItem'];
export type ImportCheck = Schemas['ImportCheck'];
export type EmergencyOrganization = Schemas['EmergencyOrganization'];
export type Eula = Schemas['Eula'];

export type Network = Schemas['Network'];
export type NetworkOverview = Schemas['NetworkOverview'];
export type NetworkFeature = Schemas['NetworkFeature'];
export type NetworkFeatureInput = Schemas['NetworkFeatureForm'];
export type NetworkOrganization = Schemas['NetworkOrganization'];
export type CertificateChange = Schemas['CertificateChange'];
export type GeneratedReport = Schemas['GeneratedReport'];
export type ReportKind = Schemas['ReportKind'];
export type ServiceAccount = Schemas['ServiceAccount'];
export type SyncOutcome = Schemas['SyncOutcome'];
export type SyncResult = Schemas['SyncResult'];
export type UserRow = Schemas['UserRow'];
export type User = Schemas['User'];
export type UserInput = Schemas['UserForm'];
export type Permissions = Schemas['Permissions'];
export type UserDocumentSource = Schemas['UserDocumentSource'];

export type Dashboard = Schemas['Dashboard'];

export type Terms = Schemas['Terms'];
export type Standing = Schemas['Standing'];
export type IdentityInput = Schemas['IdentityForm'];
export type Quiz = Schemas['Quiz'];
export type QuizQuestion = Schemas['QuizQuestion'];
export type Subscription = Schemas['Subscription'];

/** The operations, in the form the client library reads. */
export type paths = described;
export type BrandRow = Schemas['BrandRow'];
export type SetupStep = Schemas['SetupStep'];
export type SetupStepName = Schemas['SetupStepName'];
export type SetupCheck = Schemas['SetupCheck'];
export type DnsRecord = Schemas['DnsRecord'];
export type FirstOperatorInput = Schemas['FirstOperator'];

/** A connected EHR. */
export type ChartConnection = Schemas['ConnectedType'];
export type ChartCapability = Schemas['IntegrationCapability'];
export type ChartPatient = Schemas['LookupPatient'];
export type ChartPatientSearch = Schemas['ChartPatientSearch'];
export type ChartVisit = Schemas['Visit'];
export type ChartOrder = Schemas['Order'];
export type ChartReviewer = Schemas['Reviewer'];
export type ChartReviewerGroup = Schemas['ReviewerGroup'];
export type ChartChoices = Schemas['AttachmentIntegrationMeta'];
export type ChartMatch = Schemas['ChartMatch'];
export type ChartView = Schemas['ChartView'];
export type ChartFiling = Schemas['FilingView'];
export type ChartType = Schemas['ChartDocumentType'];
export type FailedFiling = Schemas['FailedFiling'];
export type FiledByRule = Schemas['FiledByRule'];
export type LeftByRule = Schemas['LeftByRule'];
export type FilingDryRunRow = Schemas['FilingDryRunRow'];
