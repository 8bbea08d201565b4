import { ApiError } from '@/api/client';
import { wordsOf } from '@/shared/errors';

/** Ids as they are pasted: comma-separated, without line breaks, each trimmed. */
export const listed = (text: string): string[] =>
  text
    .replace(/[\r\n]/g, '')
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean);

/** Why a lookup found nothing. */
export const lookupError = (error: unknown): string => (error instanceof ApiError && error.status === 404 ? 'Not Found' : wordsOf(error));
