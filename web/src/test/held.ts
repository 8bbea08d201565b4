import { type DefaultBodyType, HttpResponse, http } from 'msw';
import { server } from './setup';

/** Holds back responses to reads of a path until the returned function is called. */
export function held(path: string, answer: DefaultBodyType): () => void {
  let release = () => {};
  const waits = new Promise<void>((done) => {
    release = done;
  });
  server.use(
    http.get(path, async () => {
      await waits;
      return HttpResponse.json(answer);
    }),
  );
  return release;
}
