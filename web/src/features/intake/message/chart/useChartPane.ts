import { useQuery } from '@tanstack/react-query';
import type { Attachment, ChartChoices, ChartFiling, Message } from '@/api/types';
import { chartTypesQuery } from '@/domain/charts/api';
import { chartNote, useChart } from '@/domain/charts/useChart';
import type { ReviewChoice } from '@/domain/charts/ReviewerLookupDialog';
import { useExternalLogin } from '@/domain/charts/useExternalLogin';
import { lockedPatient, withoutOrders } from '@/domain/messaging/rules';
import { notify } from '@/shared/notify';
import type { MetaForms } from '../useMetaForms';
import type { PatientForm } from '../usePatientForm';
import { matchesQuery } from './api';
import { chartTypeOf, isSamePerson, isSearchable } from './rules';
import { useChartDocuments } from './useChartDocuments';
import { useChartFilings } from './useChartFilings';
import { SIGNED_IN, useChartPatient } from './useChartPatient';
import { useChartVisit } from './useChartVisit';

type Parts = { message: Message; patient: PatientForm; metas: MetaForms; attachment: Attachment | undefined };

const typeRequired = ({ fileName }: Attachment) => `"Document Type" is required for file ${fileName}`;
export const UNKNOWN = 'The connected EHRs could not be loaded.';
const FIND_FIRST = 'Please find the patient in the chart first.';

/** Filing into the chart: whom, under which visit, and which documents. `connection` is absent without an EHR that takes documents. */
export function useChartPane({ message, patient, metas, attachment }: Parts) {
  const chart = useChart();
  const { draft } = patient;
  const found = draft.integrationMeta;
  const connection = chart.connection('documentUpload', found?.integrationId) ?? chart.connection('documentUpload');
  const integrationId = connection?.integrationId ?? '';
  const has = (capability: Parameters<typeof chart.connection>[0]) => Boolean(connection?.capabilities.includes(capability));
  const note = connection && chartNote(connection);
  /** It can be read now, without a sign-in first. */
  const isOpen = Boolean(connection && !connection.needsLogin && !note);
  const login = useExternalLogin();
  const { services, connectionOf } = chart;
  const filings = useChartFilings(message, Boolean(connection) || services.length > 0);
  const documents = useChartDocuments({ message, filings, services });
  const isLocked = lockedPatient(draft);
  /** The patient of this chart; none if looked up in an EHR that is no longer connected. */
  const patientId = (isLocked && (found?.integrationId ?? integrationId) === integrationId && found?.patientId) || null;

  const ofChart = (file: Attachment): ChartChoices => metas.of(file).draft.integrationMeta ?? {};
  const say = (file: Attachment, choices: Partial<ChartChoices>) => {
    const form = metas.of(file);
    form.change(({ integrationMeta }) => ({ integrationMeta: { ...integrationMeta, ...choices } }));
    form.done();
  };
  /** Who reviews it. An urgent document needs somebody. */
  const review = (file: Attachment, { reviewerId, groupReviewerId, reviewerNote, urgent }: ReviewChoice) =>
    say(file, {
      reviewerId: reviewerId ?? null,
      groupReviewerId: groupReviewerId ?? null,
      reviewerNote: reviewerNote ?? null,
      urgent: Boolean(urgent && (reviewerId || groupReviewerId)),
    });
  /** Orders are those of one patient and visit. Answers a function that restores them. */
  const dropOrders = () => {
    const before = message.attachments.map((file) => [file, ofChart(file).orderIds ?? []] as const).filter(([, ids]) => ids.length > 0);
    for (const [file] of before) {
      const form = metas.of(file);
      form.change(withoutOrders);
      form.done();
    }
    return () => before.forEach(([file, orderIds]) => say(file, { orderIds }));
  };
  const documentDate = attachment && metas.of(attachment).draft.documentDate;
  const visit = useChartVisit({ connection, patient, patientId, documentDate, isOpen, dropOrders });

  const whom = useChartPatient({ message, patient, connection, has, note, login, dropOrders });

  const saved = message.patient ?? {};
  /** The chart is searched for the saved patient: while another one is typed, nobody is proposed. */
  const isSaved = isSamePerson(patient.confirmed, saved);
  const matches = useQuery({
    ...matchesQuery(message.id, integrationId, message.patientVersion),
    enabled: isOpen && has('patientLookup') && !isLocked && !message.isProcessed && isSaved && isSearchable(saved),
    retry: false,
    staleTime: 60_000,
  });
  const types = useQuery({ ...chartTypesQuery(integrationId), enabled: isOpen && has('documentTypeLookup') });
  const typeOf = (file: Attachment) => chartTypeOf(metas.of(file).draft, types.data ?? []);

  const lacksType = (file: Attachment) => Boolean(connection?.requiresDocumentType) && !typeOf(file);

  const { wanted, isAllFiled } = documents;
  /** Files it, if a patient of the chart is chosen and the person is signed in there. */
  const begin = (run: () => void) => {
    if (!connection) return;
    if (patientId) {
      const { needsLogin } = connection;
      return void login.guard(connection, () => (needsLogin ? notify('info', SIGNED_IN) : run()));
    }
    if (note) return notify('warning', note);
    notify('info', whom.canFind ? FIND_FIRST : `${connection.name} cannot search for patients. Please file without the chart.`);
    whom.find();
  };

  return {
    ...whom,
    connection,
    /** The connected systems could not be loaded. */
    hasFailed: chart.hasFailed,
    reload: chart.reload,
    /** Why the EHR cannot be called now. */
    note,
    has,
    login,
    filings,
    /** The system of a document, while it is connected. */
    connectionOf,
    /** Does something in the EHR of a document, after a sign-in there if one is needed. */
    inEhrOf: (filing: ChartFiling, run: () => Promise<unknown>) => login.inEhr(connectionOf(filing), run),
    isLocked,
    patientId,
    /** Into whose chart documents are filed. */
    target: patientId ? { integrationId, chartPatientId: patientId } : null,
    matches,
    isSaved,
    types,
    typeOf,
    ofChart,
    say,
    review,
    visit,
    documents,
    /** Systems without charts that get documents. */
    services,
    /** Whether documents can be filed or sent. */
    isInUse: Boolean(connection) || services.length > 0,
    /** The chart's page for people, if the EHR has one. */
    chartUrl: patientId && connection?.chartUrl ? connection.chartUrl.replaceAll('{patient}', encodeURIComponent(patientId)) : undefined,
    /** What is missing for filing, in page order. */
    problems: () => [
      ...(wanted.length > 0 ? [] : [isAllFiled ? 'All documents are already in the chart.' : 'Please select a document to file.']),
      ...wanted.filter(lacksType).map(typeRequired),
    ],
    /** The error of a document's type, once filing was tried. */
    typeError: (file: Attachment, wasTried: boolean) => (wasTried && lacksType(file) ? typeRequired(file) : undefined),
    /** Saves the proposed visit, if it was on the screen, and the types of the same name. */
    takeProposed: (wasSeen: boolean) => {
      if (wasSeen) visit.takeProposed();
      for (const file of wanted) {
        const type = typeOf(file);
        if (type && !ofChart(file).documentTypeId) say(file, { documentTypeId: type.id, documentType: type.name });
      }
    },
    /** What keys and buttons do in the chart. `file` is absent without one. */
    commands: (intoChart: () => void) => ({
      isLoading: chart.isLoading,
      hasFailed: chart.hasFailed,
      file: chart.hasFailed ? () => notify('warning', UNKNOWN) : connection && (() => begin(intoChart)),
      find: whom.canFind ? whom.find : undefined,
    }),
  };
}
export type ChartPaneState = ReturnType<typeof useChartPane>;
