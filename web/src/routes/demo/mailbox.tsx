import { createFileRoute } from '@tanstack/react-router';
import { MailboxPage } from '@/features/demo/MailboxPage';

export const Route = createFileRoute('/demo/mailbox')({ component: MailboxPage });
