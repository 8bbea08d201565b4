import { createFileRoute } from '@tanstack/react-router';
import { guardOf } from '@/app/screens';
import { Frame } from '@/frame';
import { screens } from '@/screens';

export const Route = createFileRoute('/_app')({ beforeLoad: guardOf(screens), component: Frame });
