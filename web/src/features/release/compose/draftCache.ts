import { unsaved } from '@/shared/sealedStore';
import type { ComposeValues, Mode } from './model';

/** Unsaved input, with its draft as of then. */
export type Kept = { values: ComposeValues; draftId: string | null; draftVersion?: number };

/** Per person and organization, so that nobody sees what another typed in this tab. */
export const draftName = (userId: string, organizationId: string | null | undefined, mode: Mode, id: string | null) =>
  ['release', userId, organizationId ?? '', mode, id ?? ''].join('.');

export const readKept = (name: string) => unsaved.read<Kept>(name);
export const keep = (name: string, kept: Kept) => unsaved.write(name, kept);
export const forget = (name: string) => unsaved.forget(name);
