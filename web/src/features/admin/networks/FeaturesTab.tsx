import { useQuery } from '@tanstack/react-query';
import { IconToggleRight } from '@tabler/icons-react';
import type { NetworkFeature } from '@/api/types';
import { networkFeaturesQuery } from '@/app/networkFeatures';
import { EmptyState, ErrorState } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { Section } from './Section';

/** The enabled features of the network, each above its child features. */
export function FeaturesTab({ id }: { id: string }) {
  const query = useQuery(networkFeaturesQuery(id));
  if (query.error && !query.data)
    return <ErrorState title="The features could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data)
    return (
      <div role="status" aria-label="Loading">
        <div className="cp-bone" style={{ width: '40%' }} />
      </div>
    );
  if (query.data.length === 0)
    return <EmptyState icon={IconToggleRight} title="No features yet" text="Nothing is switched on or off for this network." />;
  return (
    <Section title="Features" text="What is on for this network. A feature that belongs to another one is off together with it.">
      <Features features={query.data} label="Features" />
    </Section>
  );
}

const Features = ({ features, label }: { features: NetworkFeature[]; label: string }) => (
  <ul className="net-features" aria-label={label}>
    {features.map((f) => (
      <li key={f.name}>
        <div className="net-feature">
          <span className="cp-grow net-name">{f.name}</span>
          <Status state={f.isEnabled ? 'Activated' : 'Not Activated'}>{f.isEnabled ? 'On' : 'Off'}</Status>
        </div>
        {f.childNetworkFeatures.length > 0 && <Features features={f.childNetworkFeatures} label={`Within ${f.name}`} />}
      </li>
    ))}
  </ul>
);
