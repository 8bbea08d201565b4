import './onboarding.css';
import { Button, Radio } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';
import type { Quiz, Standing } from '@/api/types';
import { reportError } from '@/shared/errors';
import { Form } from '@/shared/form/Form';
import { plural } from '@/shared/format';
import { ErrorState, Notice } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { answerQuiz, isOutdated, quizQuery } from './api';
import { StepFoot } from './parts';
import { chosenIn, showSeconds } from './rules';

const SECOND = 1000;
/** Seconds before the end at which screen readers announce the time. */
const SAID_AT = 60;
const ANSWER_ALL = 'Please answer every question.';

/** The remaining seconds, counted from when the questions arrived. */
function useSecondsLeft(quiz: Quiz | undefined) {
  const [spent, setSpent] = useState(0);
  useEffect(() => {
    if (!quiz) return;
    const began = performance.now();
    const timer = setInterval(() => setSpent(Math.floor((performance.now() - began) / SECOND)), SECOND);
    return () => clearInterval(timer);
  }, [quiz]);
  return quiz ? Math.max(0, quiz.secondsLeft - spent) : 0;
}

type Props = { quizId: string; isFurther: boolean; onDone: (standing: Standing) => void; onOutdated: () => void };

/** Questions about the user. Further ones come in another dialog; `isFurther` means that some answers were wrong. */
export function QuizDialog({ quizId, isFurther, onDone, onOutdated }: Props) {
  const query = useQuery(quizQuery(quizId));
  const quiz = query.data;
  const left = useSecondsLeft(quiz);
  const [chosen, setChosen] = useState<Record<string, string>>({});
  const [asked, setAsked] = useState(false);
  const questions = quiz?.questions ?? [];
  const isOver = quiz !== undefined && left === 0;
  const answer = useMutation({
    mutationFn: () => answerQuiz(quizId, isOver ? [] : chosenIn(questions, chosen)),
    onSuccess: onDone,
    onError: (error) => isOutdated(error) && onOutdated(),
  });
  const leave = useEffectEvent((error: Error) => {
    reportError(error);
    onOutdated();
  });
  useEffect(() => {
    if (isOutdated(query.error)) leave(query.error!);
  }, [query.error]);
  const submit = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const open = questions.find((q) => !chosen[q.questionId ?? '']);
    if (open && !isOver) {
      setAsked(true);
      document.querySelector<HTMLInputElement>(`input[name="${open.questionId}"]`)?.focus();
      return;
    }
    if (!answer.isPending) answer.mutate();
  };
  return (
    // Opens with the questions, which get the focus.
    <Dialog
      opened={!query.isPending}
      locked
      onClose={() => {}}
      title="A few questions about you"
      footer={
        <StepFoot step={5}>
          <Button size="md" type="submit" form="quiz" loading={answer.isPending} disabled={!quiz}>
            {isOver ? 'Continue' : 'Submit Answers'}
          </Button>
        </StepFoot>
      }
    >
      {query.isError ? (
        <ErrorState title="The questions could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        quiz && (
          <Form id="quiz" onSubmit={submit} className="onb-body">
            {isOver ? (
              <Notice kind="warning">
                The time for these questions is over.{' '}
                {quiz.attemptsLeft > 0 ? 'Continue to get new questions.' : 'Continue to verify your identity with a photo ID.'}
              </Notice>
            ) : (
              <>
                {isFurther && (
                  <Notice kind="warning">
                    Not all answers were right, or they came too late. Here are new questions
                    {quiz.attemptsLeft === 0 ? '; it is the last attempt for today.' : '.'}
                  </Notice>
                )}
                <div className="cp-row">
                  <span className="cp-second cp-grow">
                    Please choose one answer to each question.{' '}
                    {quiz.attemptsLeft > 0 && `${plural(quiz.attemptsLeft, 'more attempt')} today.`}
                  </span>
                  <span className="cp-num onb-clock" role="timer" aria-label="Time left">
                    {showSeconds(left)}
                  </span>
                </div>
                <span className="cp-hidden" role="status">
                  {left <= SAID_AT ? 'Less than a minute is left.' : ''}
                </span>
                {questions.map((q, i) => {
                  const id = q.questionId ?? '';
                  return (
                    <Radio.Group
                      key={id}
                      name={id}
                      className="onb-question"
                      label={`${i + 1}. ${q.questionText}`}
                      value={chosen[id] ?? ''}
                      error={asked && !chosen[id] ? ANSWER_ALL : undefined}
                      onChange={(value) => setChosen({ ...chosen, [id]: value })}
                    >
                      <div className="onb-choices">
                        {(q.answerChoice ?? []).map((c, at) => (
                          <Radio
                            key={c.value}
                            size="xs"
                            value={c.value ?? ''}
                            label={c.value}
                            data-autofocus={(i === 0 && at === 0) || undefined}
                          />
                        ))}
                      </div>
                    </Radio.Group>
                  );
                })}
              </>
            )}
          </Form>
        )
      )}
    </Dialog>
  );
}
