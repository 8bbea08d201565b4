import { type FullConfig, request } from '@playwright/test';
import { account, PASSWORD } from './support';

/** The practices of the stories file without an EHR, except in the story of the chart. */
export default async function setup({ projects }: FullConfig) {
  for (const baseURL of new Set(projects.map(({ use }) => use.baseURL))) {
    const server = await request.newContext({ baseURL });
    const call = async <T>(method: string, path: string, data?: object, token?: string) => {
      const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
      const answer = await server.fetch(path, { method, data, headers });
      if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`);
      return (await answer.json()) as T;
    };
    const { accessToken } = await call<{ accessToken: string }>('POST', '/api/account/login', {
      userName: account('dana'),
      password: PASSWORD,
    });
    const { items } = await call<{ items: { isActive: boolean }[] }>('GET', '/api/integrations', undefined, accessToken);
    for (const connection of items.filter(({ isActive }) => isActive)) {
      await call('PUT', '/api/integrations', { ...connection, isActive: false }, accessToken);
    }
    await server.dispose();
  }
}
