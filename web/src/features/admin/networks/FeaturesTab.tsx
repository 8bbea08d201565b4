import { ActionIcon, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconPlus, IconToggleRight, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { NetworkFeatureForm } from '@/api/limits.gen';
import type { NetworkFeature, NetworkFeatureInput } from '@/api/types';
import { networkFeaturesQuery } from '@/app/networkFeatures';
import { useHasRole } from '@/app/session';
import { EditDialog } from '@/shared/crud/EditDialog';
import { checkboxField, choiceField } from '@/shared/form/fields';
import { useAsk } from '@/shared/ui/AskDialog';
import { EmptyState, ErrorState } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { ToggleCell } from '@/shared/ui/ToggleCell';
import { addFeature, changeFeature, removeFeature } from './api';
import { Section } from './Section';

/** Features that a network can switch for its members. */
const FEATURES = [
  { value: 'SingleSignOn', label: 'SingleSignOn: members can set up a sign-in provider' },
  { value: 'Referrals', label: 'Referrals: members can refer patients' },
] as const;
const nameOf = (name: string): NetworkFeatureInput['name'] | undefined => FEATURES.find((feature) => feature.value === name)?.value;

const namesOf = (features: NetworkFeature[]): string[] => features.flatMap((f) => [f.name, ...namesOf(f.childNetworkFeatures)]);

/** The enabled features of the network, each above its child features. */
export function FeaturesTab({ id }: { id: string }) {
  const mayChange = useHasRole('SysAdmin');
  const [isAdding, setAdding] = useState(false);
  const query = useQuery(networkFeaturesQuery(id));
  if (query.error && !query.data)
    return <ErrorState title="The features could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data)
    return (
      <div role="status" aria-label="Loading">
        <div className="cp-bone" style={{ width: '40%' }} />
      </div>
    );
  const add = mayChange && (
    <Button variant="default" leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setAdding(true)}>
      Add feature
    </Button>
  );
  const adding = isAdding && <AddFeature id={id} names={namesOf(query.data)} onClose={() => setAdding(false)} />;
  if (query.data.length === 0)
    return (
      <>
        <EmptyState
          icon={IconToggleRight}
          title="No features yet"
          text="Features that are switched on or off for this network appear here."
        >
          {add}
        </EmptyState>
        {adding}
      </>
    );
  return (
    <Section title="Features" text="Features of this network. A feature that belongs to another one is off together with it.">
      <Features id={id} features={query.data} mayChange={mayChange} label="Features" />
      {add && <div>{add}</div>}
      {adding}
    </Section>
  );
}

type Props = { id: string; features: NetworkFeature[]; mayChange: boolean; label: string; parent?: NetworkFeature };

const Features = ({ features, label, ...rest }: Props) => (
  <ul className="net-features" aria-label={label}>
    {features.map((f) => (
      <li key={f.name}>
        <div className="net-feature">
          <span className="cp-grow net-name">{f.name}</span>
          {rest.mayChange ? (
            <Controls id={rest.id} feature={f} parent={rest.parent} />
          ) : (
            <Status state={f.isEnabled ? 'Activated' : 'Not Activated'}>{f.isEnabled ? 'On' : 'Off'}</Status>
          )}
        </div>
        {f.childNetworkFeatures.length > 0 && (
          <Features {...rest} features={f.childNetworkFeatures} label={`Within ${f.name}`} parent={f} />
        )}
      </li>
    ))}
  </ul>
);

/** A feature that is off with its parent cannot be switched on alone. */
function Controls({ id, feature: { name, isEnabled }, parent }: { id: string; feature: NetworkFeature; parent?: NetworkFeature }) {
  const [ask, question] = useAsk();
  const remove = () =>
    ask({
      title: 'Remove feature',
      subject: name,
      question: 'Its functions will be off for this network. Are you sure?',
      label: 'Remove',
      danger: true,
      run: () => removeFeature(id, name),
      done: 'The feature was removed.',
      failed: 'The feature could not be removed. Please try again.',
    });
  const known = nameOf(name);
  return (
    <>
      <ToggleCell
        label={name}
        checked={isEnabled}
        // A feature of an older version has no effect any more: it can only be removed.
        disabled={!known || (parent && !parent.isEnabled)}
        onToggle={async (on) => known && changeFeature(id, { name: known, parent: parent?.name ?? null, isEnabled: on })}
        failed="The feature could not be switched. Please try again."
      />
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Remove ${name}`} onClick={remove}>
        <IconTrash size={16} stroke={1.6} />
      </ActionIcon>
      {question}
    </>
  );
}

function AddFeature({ id, names, onClose }: { id: string; names: string[]; onClose: () => void }) {
  const fields = {
    name: choiceField('Feature', FEATURES, { required: true }),
    parent: choiceField(
      'Belongs to',
      names.map((name) => ({ value: name, label: name })),
      { description: 'It is off whenever that feature is off.' },
    ),
    isEnabled: checkboxField('On', { initial: true }),
  };
  return (
    <EditDialog
      noun="network feature"
      title="Add a Feature"
      label="Add"
      fields={fields}
      limits={NetworkFeatureForm}
      save={({ name, ...values }) => addFeature(id, { ...values, name: name! })}
      done="The feature was added."
      failed="The feature could not be added. Please try again."
      onClose={onClose}
    />
  );
}
