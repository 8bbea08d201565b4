import type { EhrConnection, IntakeRule } from '@/api/types';
import { checkboxField, choiceField, numberField } from '@/shared/form/fields';

/** Filing to a chart in the form of a rule, where it has no object of its own. */
type Filing = { integrationId: string | null; minimumPercent: number | null; marksProcessed: boolean };

const USUAL = { minimumPercent: 98, marksProcessed: true };

type ChartChoice = Pick<EhrConnection, 'id' | 'name' | 'isActive' | 'authentication' | 'offered' | 'unused'>;

const NEEDED = ['patientLookup', 'documentUpload'] as const;
/** Whether it can find patients and take documents without a person who signs in. */
const filesAlone = ({ authentication, offered, unused }: ChartChoice) =>
  authentication !== 'Person' && NEEDED.every((capability) => offered.includes(capability) && !unused.includes(capability));

/** The fields; none if the organization has no EHR. */
export const filingFields = (connections: readonly ChartChoice[]) => {
  const choices = connections.map((connection) => {
    const { id, name, isActive } = connection;
    return { value: id, label: isActive ? name : `${name} (off)`, retired: !isActive || !filesAlone(connection) };
  });
  const files = ({ integrationId }: { integrationId?: string | null }) => Boolean(integrationId);
  return {
    integrationId: choiceField('File to chart', choices, {
      description: 'Without a person, if exactly one patient of the chart is certain and nothing differs. Blank to file nothing.',
      when: (values) => choices.some(({ retired }) => !retired) || files(values),
    }),
    minimumPercent: numberField('Minimum certainty (percent)', {
      initial: USUAL.minimumPercent,
      description: 'From 90 to 99, which is the strictest: a certain patient always has 99. Everything below is left to people.',
      when: files,
      check: (value) => (value !== null && value >= 90 && value <= 99 ? null : 'Please enter a certainty from 90 to 99 percent.'),
    }),
    marksProcessed: checkboxField('Mark as processed once filed', { initial: USUAL.marksProcessed, when: files }),
  };
};

/** A rule as its form has it. */
export const withFiling = (rule: IntakeRule): IntakeRule & Filing => ({
  ...rule,
  integrationId: rule.fileToChart?.integrationId ?? null,
  minimumPercent: rule.fileToChart?.minimumPercent ?? USUAL.minimumPercent,
  marksProcessed: rule.fileToChart?.marksProcessed ?? USUAL.marksProcessed,
});

/** The values of the form as the server takes them. */
export const filingOf = ({ integrationId, minimumPercent, marksProcessed }: Filing) =>
  integrationId ? { integrationId, minimumPercent: minimumPercent ?? USUAL.minimumPercent, marksProcessed } : null;
