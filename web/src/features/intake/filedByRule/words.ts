import { plural } from '@/shared/format';

/** `filed` includes what is on its way, and `failed` what could not be taken back. */
type Counts = { filed: number; failed: number; withdrawn: number; left: number };

const needAttention = (n: number) => `${n} ${n === 1 ? 'needs' : 'need'} attention`;

/** "12 filed or on the way, 1 needs attention, 2 left to people" */
export const countWords = ({ filed, failed, withdrawn, left }: Counts) =>
  [
    `${filed} filed or on the way`,
    failed && needAttention(failed),
    withdrawn && `${withdrawn} taken back`,
    left && `${left} left to people`,
  ]
    .filter(Boolean)
    .join(', ');

/** "Today and yesterday: 12 documents filed by rules or on the way, 1 needs attention, 2 messages left to people." */
export function sumWords(rules: readonly Counts[]): string {
  const sum = (of: keyof Counts) => rules.reduce((n, rule) => n + rule[of], 0);
  const [filed, failed, left] = [sum('filed'), sum('failed'), sum('left')];
  const parts = [
    (filed > 0 || failed > 0) && `${plural(filed, 'document')} filed by rules or on the way`,
    failed > 0 && needAttention(failed),
    left > 0 && `${plural(left, 'message')} left to people`,
  ].filter(Boolean);
  return parts.length > 0 ? `Today and yesterday: ${parts.join(', ')}.` : '';
}
