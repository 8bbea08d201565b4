import { queryOptions } from '@tanstack/react-query';
import { ApiError, api, rawFetch, unwrap } from '@/api/client';
import { queryOf } from '@/api/query';
import type { IdentityInput, ProblemDetails, QuizQuestion, Standing, Terms } from '@/api/types';
import { sendForm } from '@/api/upload';
import { madeName, saveFile } from '@/shared/saveFile';

/** The identity proofing continued elsewhere, or there were too many attempts: the decision says what follows. */
export const isOutdated = (error: unknown) => error instanceof ApiError && (error.status === 409 || error.status === 429);

export const termsQuery = queryOf('get', '/api/account/terms');
export const acceptTerms = ({ type, version, privacy }: Terms) =>
  unwrap(api.POST('/api/account/terms', { body: { type, version, privacyVersion: privacy?.version } }));

export const saveTerms = async () => saveFile(await (await rawFetch('/api/account/terms/pdf')).blob(), madeName('terms', 'pdf'));

export const standingQuery = queryOptions({
  ...queryOf('get', '/api/identityproofing/decision'),
  staleTime: 0,
});
export const submitIdentity = (body: IdentityInput) => unwrap(api.POST('/api/identityproofing', { body }));

export const quizQuery = (quizId: string) =>
  queryOptions({
    ...queryOf('get', '/api/identityproofing/quizzes/{quizId}', { params: { path: { quizId } } }),
    // The remaining time counts from the server's response.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
export const answerQuiz = (quizId: string, questions: QuizQuestion[]) =>
  unwrap(api.POST('/api/identityproofing/quizzes/{quizId}', { params: { path: { quizId } }, body: { questions } }));

export async function uploadDocument(file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<Standing> {
  const form = new FormData();
  form.append('file', file, file.name);
  const answer = await sendForm('/api/identityproofing/document', form, onProgress, signal);
  if (answer.status >= 300) throw new ApiError(answer.status, (answer.body ?? {}) as ProblemDetails);
  return answer.body as Standing;
}

export const dismissActivationNotice = () => unwrap(api.DELETE('/api/account/activationnotice'));
