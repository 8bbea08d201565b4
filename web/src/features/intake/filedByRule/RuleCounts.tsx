import { UnstyledButton } from '@mantine/core';
import type { FiledSearch } from './search';
import { countWords } from './words';

type Counts = { ruleId: string; ruleName: string; filed: number; failed: number; withdrawn: number; left: number };
type Props = { rules: readonly Counts[]; chosen: FiledSearch['rule']; onChoose: (rule: string | undefined) => void };

/** What each rule did in the chosen days. A click shows that rule alone. */
export function RuleCounts({ rules, chosen, onChoose }: Props) {
  if (rules.length === 0) return null;
  return (
    <ul className="filed-rules" aria-label="By rule">
      {rules.map((rule) => (
        <li key={rule.ruleId}>
          <UnstyledButton
            className="filed-rule"
            aria-pressed={chosen === rule.ruleId}
            onClick={() => onChoose(chosen === rule.ruleId ? undefined : rule.ruleId)}
          >
            <b className="cp-strong">{rule.ruleName}</b> <span className="cp-second cp-num">{countWords(rule)}</span>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
