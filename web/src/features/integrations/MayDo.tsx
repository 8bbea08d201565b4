import { Checkbox } from '@mantine/core';
import type { EhrCapability } from '@/api/types';
import { CAPABILITIES } from './words';

/** What a connection may do: filled if it is used, outlined if it is only offered. */
export function CapabilityChips({ offered, unused }: { offered: EhrCapability[]; unused: EhrCapability[] }) {
  if (offered.length === 0) return <span className="cp-muted">Not known yet</span>;
  return (
    <span className="int-chips">
      {offered.map((capability) => {
        const isUnused = unused.includes(capability);
        return (
          <span key={capability} className="int-chip" data-unused={isUnused || undefined}>
            {CAPABILITIES[capability]}
            {isUnused && <span className="cp-hidden"> (not used)</span>}
          </span>
        );
      })}
    </span>
  );
}

type Props = {
  /** What systems of this kind can offer. */ all: EhrCapability[];
  offered: EhrCapability[];
  unused: EhrCapability[];
  onChange: (unused: EhrCapability[]) => void;
};

/** Turns on and off what is used of an EHR's offers. */
export function MayDo({ all, offered, unused, onChange }: Props) {
  const isKnown = offered.length > 0;
  return (
    <section className="cp-sec" aria-label="May do">
      <div className="cp-sec-h">
        <h3>May do</h3>
        <span className="cp-second">{isKnown ? 'What the EHR offers' : 'The first test shows what the EHR offers'}</span>
      </div>
      <Checkbox.Group
        aria-label="May do"
        value={all.filter((capability) => !unused.includes(capability))}
        onChange={(used) => onChange(all.filter((capability) => !used.includes(capability)))}
      >
        <div className="int-maydo">
          {all.map((capability) => (
            <Checkbox
              key={capability}
              value={capability}
              label={CAPABILITIES[capability]}
              description={isKnown && !offered.includes(capability) ? 'Not offered' : undefined}
              disabled={isKnown && !offered.includes(capability)}
            />
          ))}
        </div>
      </Checkbox.Group>
    </section>
  );
}
