import { ApiError, rawFetch } from '@/api/client';
import { notify } from './notify';

/** Downloads a report; shows a toast and returns nothing on failure. Field errors are thrown for the form. */
export async function fetchReport(path: string, init: RequestInit = {}): Promise<Blob | null> {
  try {
    return await (await rawFetch(path, { ...init, headers: { ...init.headers, Accept: 'text/csv' } })).blob();
  } catch (error) {
    const isOwn = error instanceof ApiError && !error.isRefused && !error.isRevoked && Object.keys(error.modelState).length === 0;
    if (!isOwn) throw error;
    notify('error', `Unable to download the report file. Status: ${error.status}`);
    return null;
  }
}
