import { useMemo, useState } from 'react';
import type { DocumentSource, ReleaseType } from '@/api/types';
import { formatAddress } from '@/shared/format';
import { notify } from '@/shared/notify';
import { offerUndo } from '@/shared/undo';
import type { ComposeValues } from './model';
import { applyType, changeTo, fixesTo, leavesWith, locksOf } from './releaseType';
import { hasFax } from './rules';

type Options = {
  begun: ComposeValues;
  releaseTypes: ReleaseType[];
  /** The addresses and numbers to send from. */
  sources: DocumentSource[];
};

export type ReleaseForm = ReturnType<typeof useReleaseForm>;

/** The fields of a release, with the effects of its release type and recipients. */
export function useReleaseForm({ begun, releaseTypes, sources }: Options) {
  const [values, setValues] = useState<ComposeValues>(begun);
  const set = (part: Partial<ComposeValues>) => setValues((v) => ({ ...v, ...part }));
  const type = releaseTypes.find((t) => t.id === values.releaseTypeId);
  const addresses = useMemo(() => [...new Set([...values.to, ...values.cc, ...values.bcc])], [values.to, values.cc, values.bcc]);
  const withFax = hasFax(addresses);

  // Announces changes of the recipients by a release type.
  const chooseType = (id: string | null) => {
    const next = applyType(
      values,
      releaseTypes.find((t) => t.id === id),
      { before: type, sources },
    );
    const gone = leavesWith(type, values.to, next);
    setValues(next);
    if (!gone) return;
    const again = async () => setValues((v) => ({ ...v, to: [gone, ...v.to.filter((a) => a !== gone)] }));
    offerUndo(`${formatAddress(gone)} was removed with the release type “${type?.name}”.`, again);
  };
  const enterTo = (to: string[]) => {
    const next = changeTo(values, to, type);
    setValues(next);
    if (type && next.releaseTypeId === null)
      notify('info', `“${type.name}” goes to ${formatAddress(type.destinationAddress ?? '')}: please choose another release type.`);
  };

  const source = sources.find((s) => s.fullAddress === values.from);
  const faxSources = withFax && source?.type !== 'Fax' ? sources.filter((s) => s.type === 'Fax') : [];
  return {
    values,
    set,
    releaseTypes,
    sources,
    type,
    locks: locksOf(type),
    chooseType,
    enterTo,
    isToFixed: fixesTo(type, values.to),
    /** The release type added a recipient to others. */
    hasOthers: Boolean(type?.destinationAddress) && values.to.length > 1,
    /** All recipients, each once. */
    addresses,
    withFax,
    source,
    /** The own numbers to choose from for fax recipients, if the sender's address is not a number. */
    faxSources,
    faxFrom: faxSources.length > 0 ? values.faxFrom || faxSources[0]?.fullAddress : undefined,
  };
}
