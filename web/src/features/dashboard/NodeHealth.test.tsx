import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { NodeHealth } from './NodeHealth';

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  const receiving = { lane: 'Receiving', busy: 2, waiting: 3, oldest: null };
  const items = [receiving, { lane: 'Chores', busy: 0, waiting: 0, oldest: null }];
  server.use(http.get('*/api/admin/lanes', () => HttpResponse.json({ items })));
});

const HTTP = { name: 'HTTP', open: 12, total: 8192, reserve: 2048, refused: 0, busiest: [] };

test('a full disk, a changed audit trail and refused connections are shown to operators', async () => {
  const busiest = [
    { network: '192.0.2.0/24', open: 9, refused: 1 },
    { network: '198.51.100.0/24', open: 0, refused: 40 },
  ];
  const larkfield = { name: 'Larkfield Family Medicine', used: 75, waiting: 4, refused: 0 };
  const conversion = { name: 'Conversion', used: 75, total: 100, waiting: 4, refused: 0, busiest: [larkfield] };
  const json = {
    disk: { freeBytes: 1_048_576, floorBytes: 268_435_456, isFull: true },
    listeners: [HTTP, { ...HTTP, name: 'SMTP', refused: 41, busiest }],
    pools: [conversion, { ...conversion, name: 'Requests to outside servers', used: 0, waiting: 0, busiest: [] }],
    auditFindings: ['audit entry 5 of chain 1 was removed'],
    concessions: ['The malware scanner is on another machine'],
  };
  server.use(http.get('*/api/admin/health', () => HttpResponse.json(json)));
  renderApp(<NodeHealth />);
  expect(await screen.findByText(/The disk is full: 1.0 MB are free, less than 256.0 MB/)).toBeInTheDocument();
  expect(screen.getByText('audit entry 5 of chain 1 was removed')).toBeInTheDocument();
  expect(screen.getByText('The malware scanner is on another machine')).toBeInTheDocument();
  expect(screen.getByText('HTTP: 12 of 8,192 connections.')).toBeInTheDocument();
  expect(await screen.findByText('Receiving: 2 running, 3 waiting.')).toBeInTheDocument();
  expect(screen.getByText('Conversion: 75% in use, 4 waiting, most of Larkfield Family Medicine.')).toBeInTheDocument();
  expect(screen.queryByText(/Chores|Fetches/)).toBeNull();
  expect(screen.getByText(/41 refused since the start, most from 198.51.100.0\/24/)).toBeInTheDocument();
});

test('a state that cannot be loaded can be asked for again', async () => {
  server.use(http.get('*/api/admin/health', () => new HttpResponse(null, { status: 500 })));
  renderApp(<NodeHealth />);
  expect(await screen.findByText('The state of the server could not be loaded')).toBeInTheDocument();
});
