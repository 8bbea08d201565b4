import { useState } from 'react';
import type { DifferingDocument } from '@/api/types';
import type { ReviewWords } from './ReviewDialog';

/** The data of the review, and the key that makes a repeated call the same message. */
type Review = { key: string; errors: string[]; newNumbers: string[]; differing: DifferingDocument[] };

export type ReviewState = ReturnType<typeof useReview>;

/** The state of the review; its input stays when it closes. */
export function useReview(isReferral: boolean) {
  const [words, setWords] = useState<ReviewWords>({
    reasonForDisclosure: '',
    trackFax: false,
    referral: isReferral ? { reason: '', dueDate: null } : null,
  });
  const [review, setReview] = useState<Review | null>(null);
  return { words, setWords, review, setReview };
}
