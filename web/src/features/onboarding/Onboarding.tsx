import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Standing } from '@/api/types';
import { refreshProfile, useProfile } from '@/app/session';
import { reportError } from '@/shared/errors';
import { sessionStore } from '@/shared/storage';
import { ActivationDelayDialog } from './ActivationDelayDialog';
import { standingQuery } from './api';
import { DecisionDialog } from './DecisionDialog';
import { IdentityDialog } from './IdentityDialog';
import { QuizDialog } from './QuizDialog';
import { isKept, type Kept, START_MS, type Step, stepFor } from './rules';
import { TermsDialog } from './TermsDialog';
import { VerificationDialog, WelcomeDialog } from './WelcomeDialogs';

/**
 * What an administrator completes, one dialog after the other, starting a second after the frame is shown. The state on the
 * server determines where to continue; steps before that are remembered in this tab. Everybody accepts terms that operators
 * activated.
 */
export function Onboarding() {
  const profile = useProfile();
  const client = useQueryClient();
  const [step, setStep] = useState<Step | null>(null);
  const [standing, setStanding] = useState<Standing | null>(null);
  const [further, setFurther] = useState(false);
  const [asking, setAsking] = useState(false);
  const place = profile.organizationId ?? '';
  const keptAt = `onboarding.${profile.userId}.${place}`;
  const seenAt = `activationDelay.${profile.userId}.${place}`;
  const kept = (): Kept | null => {
    const text = sessionStore.get(keptAt);
    return isKept(text) ? text : null;
  };

  const show = (next: Step | null) => {
    sessionStore.set(keptAt, isKept(next) ? next : null);
    if (next === 'activation') sessionStore.set(seenAt, 'seen');
    setStep(next);
  };
  /** After an attempt the server says what follows: open questions or a decision. */
  const follow = (next: Standing) => {
    if (next.quizId !== standing?.quizId) setFurther(step === 'quiz');
    setStanding(next);
    show(next.quizId ? 'quiz' : next.decision ? 'decision' : 'identity');
  };
  const ask = async () => {
    setAsking(true);
    try {
      return await client.fetchQuery(standingQuery);
    } catch (error) {
      reportError(error);
      return null;
    } finally {
      setAsking(false);
    }
  };
  const enter = async (next: Step | null) => {
    if (next !== 'decision' && next !== 'identity') return show(next);
    const found = await ask();
    if (found) follow(found);
  };
  const goOn = async () => {
    const wasShut = profile.mustAcceptTerms;
    const fresh = await refreshProfile().catch(reportError);
    // Refetches data refused until now.
    if (wasShut) void client.invalidateQueries();
    await enter(fresh ? stepFor(fresh, null, sessionStore.get(seenAt) !== null) : null);
  };
  /** Goes to the server's step. */
  const identify = async () => {
    const found = await ask();
    if (found) follow(found);
  };
  const onOutdated = () => void identify();

  useEffect(() => {
    const timer = setTimeout(() => void enter(stepFor(profile, kept(), sessionStore.get(seenAt) !== null)), START_MS);
    return () => clearTimeout(timer);
    // Starts once per organization: the component is remounted for another.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  // Activated while somebody is at work: requested at once, since every other call is refused.
  useEffect(() => {
    if (profile.mustAcceptTerms) setStep('terms');
  }, [profile.mustAcceptTerms]);

  switch (step) {
    case 'terms':
      return <TermsDialog onDone={() => void goOn()} />;
    case 'welcome':
      return <WelcomeDialog onNext={() => show('intro')} />;
    case 'intro':
      return <VerificationDialog busy={asking} onNext={() => void identify()} />;
    case 'identity':
      return <IdentityDialog asksQuestions={standing?.asksQuestions ?? true} onDone={follow} onOutdated={onOutdated} />;
    case 'quiz':
      return standing?.quizId ? (
        <QuizDialog key={standing.quizId} quizId={standing.quizId} isFurther={further} onDone={follow} onOutdated={onOutdated} />
      ) : null;
    case 'decision':
      return standing ? (
        <DecisionDialog
          standing={standing}
          onUploaded={follow}
          onOutdated={onOutdated}
          onClose={() => void (standing.decision === 'Passed' ? goOn() : refreshProfile().then(() => show(null), reportError))}
        />
      ) : null;
    case 'activation':
      return <ActivationDelayDialog onClose={() => show(null)} />;
    default:
      return null;
  }
}
