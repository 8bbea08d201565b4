//! Turns at the processor. A task does a piece of work, up to its next wait, when the turn of its party comes, and
//! holds nothing while it waits. Without this, the runtime runs tasks in the order in which they became ready, so
//! that a task of one party waits behind every ready task of another.

use crate::Party;
use std::{
    cell::Cell,
    collections::{HashMap, VecDeque},
    future::Future,
    pin::Pin,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Wake, Waker},
    thread::available_parallelism,
    time::{Duration, Instant},
};

/// Longest wait of a turn for its task. A task that is late, because its parent does something else, loses its turn
/// to others and works without one.
const PATIENCE: Duration = Duration::from_millis(20);

static PROCESSOR: LazyLock<Arc<Processor>> =
    LazyLock::new(|| Processor::new(available_parallelism().map_or(1, usize::from)));

/// Working and ready tasks.
struct Processor {
    /// Most simultaneous pieces of work.
    room: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    working: usize,
    /// The ready tasks of each party, in the order in which they became ready.
    ready: HashMap<Party, VecDeque<Arc<Task>>>,
    /// The order of the next turns.
    order: VecDeque<Turn>,
    /// Outside hosts with ready tasks: together they have one turn.
    outside: VecDeque<Party>,
    /// Called tasks that do not work yet, the longest waiting first.
    called: VecDeque<(Instant, Arc<Task>)>,
}

/// A coming turn.
enum Turn {
    Of(Party),
    /// The next outside host.
    Outside,
}

/// Stage of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Has not started.
    New,
    /// Waits for something other than its turn.
    Waiting,
    /// Waits for its turn.
    Ready,
    /// Has its turn.
    Called,
    /// Missed its turn.
    Late,
    Working {
        with_turn: bool,
        /// Its next wait is over already.
        is_ready: bool,
    },
    Gone,
}

struct Task {
    processor: Arc<Processor>,
    party: Party,
    place: Mutex<Place>,
}

struct Place {
    stage: Stage,
    /// Wakes the task of the runtime.
    waker: Option<Waker>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Processor {
    fn new(room: usize) -> Arc<Self> {
        Arc::new(Self { room, state: Mutex::default() })
    }

    /// Calls tasks while places are free, in turns of the parties.
    fn call(&self, mut state: MutexGuard<'_, State>) {
        let mut called = Vec::new();
        state.pass_over_late();
        while state.working < self.room
            && let Some(task) = state.next()
        {
            let mut place = lock(&task.place);
            if place.stage != Stage::Ready {
                continue;
            }
            place.stage = Stage::Called;
            called.extend(place.waker.clone());
            drop(place);
            state.working += 1;
            state.called.push_back((Instant::now(), task));
        }
        drop(state);
        called.into_iter().for_each(Waker::wake);
    }
}

impl State {
    fn line_up(&mut self, task: Arc<Task>) {
        let party = task.party.clone();
        let ready = self.ready.entry(party.clone()).or_default();
        ready.push_back(task);
        if ready.len() == 1 {
            self.give_turn(party);
        }
    }

    fn give_turn(&mut self, party: Party) {
        if !matches!(party, Party::Host(_)) {
            return self.order.push_back(Turn::Of(party));
        }
        if self.outside.is_empty() {
            self.order.push_back(Turn::Outside);
        }
        self.outside.push_back(party);
    }

    fn next(&mut self) -> Option<Arc<Task>> {
        let party = match self.order.pop_front()? {
            Turn::Of(party) => party,
            Turn::Outside => {
                let host = self.outside.pop_front()?;
                if !self.outside.is_empty() {
                    self.order.push_back(Turn::Outside);
                }
                host
            }
        };
        let ready = self.ready.get_mut(&party)?;
        let task = ready.pop_front();
        if ready.is_empty() {
            self.ready.remove(&party);
        } else {
            self.give_turn(party);
        }
        task
    }

    /// Removes tasks that started in time, and passes on the turns of late ones.
    fn pass_over_late(&mut self) {
        while let Some((since, task)) = self.called.front() {
            let mut place = lock(&task.place);
            match place.stage {
                Stage::Called if since.elapsed() < PATIENCE => return,
                Stage::Called => {
                    place.stage = Stage::Late;
                    self.working -= 1;
                }
                _ => {}
            }
            drop(place);
            self.called.pop_front();
        }
    }
}

impl Task {
    /// Starts a piece of work; returns whether it has a turn. None while it has to wait.
    fn begin(self: &Arc<Self>, waker: &Waker) -> Option<bool> {
        let mut state = lock(&self.processor.state);
        let mut place = lock(&self.place);
        let before = match &place.waker {
            Some(known) if known.will_wake(waker) => None,
            _ => place.waker.replace(waker.clone()),
        };
        let is_free = state.working < self.processor.room && state.order.is_empty();
        let begun = match place.stage {
            Stage::Called => Some(true),
            Stage::Late => Some(false),
            Stage::New if is_free => {
                state.working += 1;
                Some(true)
            }
            Stage::New => {
                place.stage = Stage::Ready;
                state.line_up(self.clone());
                None
            }
            _ => None,
        };
        if let Some(with_turn) = begun {
            place.stage = Stage::Working { with_turn, is_ready: false };
        }
        drop(place);
        self.processor.call(state);
        // The last reference to another task may be dropped with it.
        drop(before);
        begun
    }

    /// Ends a piece of work, or all of it.
    fn end(self: &Arc<Self>, is_all: bool) {
        let mut state = lock(&self.processor.state);
        let mut place = lock(&self.place);
        let (held, is_ready) = match place.stage {
            Stage::Working { with_turn, is_ready } => (with_turn, is_ready),
            stage => (stage == Stage::Called, false),
        };
        state.working -= usize::from(held);
        let mut waker = None;
        if is_all {
            place.stage = Stage::Gone;
            waker = place.waker.take();
        } else if is_ready {
            place.stage = Stage::Ready;
            state.line_up(self.clone());
        } else {
            place.stage = Stage::Waiting;
        }
        drop(place);
        self.processor.call(state);
        drop(waker);
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut state = lock(&self.processor.state);
        let mut place = lock(&self.place);
        match &mut place.stage {
            Stage::Working { is_ready, .. } => *is_ready = true,
            stage @ Stage::Waiting => {
                *stage = Stage::Ready;
                state.line_up(self.clone());
                drop(place);
                self.processor.call(state);
            }
            _ => {}
        }
    }
}

thread_local! {
    /// Whether this thread is inside a piece of work: nested work is part of it.
    static IS_WORKING: Cell<bool> = const { Cell::new(false) };
}

/// Marks this thread as working, and ends the piece of work when dropped, also by a panic.
struct Piece<'a> {
    task: &'a Arc<Task>,
    is_all: bool,
}

impl<'a> Piece<'a> {
    fn begin(task: &'a Arc<Task>) -> Self {
        IS_WORKING.set(true);
        Self { task, is_all: false }
    }
}

impl Drop for Piece<'_> {
    fn drop(&mut self) {
        IS_WORKING.set(false);
        self.task.end(self.is_all);
    }
}

/// Work of a party, done in turns.
pub struct InTurns<F> {
    work: Pin<Box<F>>,
    task: Arc<Task>,
    waker: Waker,
}

impl<F: Future> InTurns<F> {
    pub fn new(party: Party, work: F) -> Self {
        Self::at(PROCESSOR.clone(), party, work)
    }

    fn at(processor: Arc<Processor>, party: Party, work: F) -> Self {
        let place = Mutex::new(Place { stage: Stage::New, waker: None });
        let task = Arc::new(Task { processor, party, place });
        Self { work: Box::pin(work), waker: Waker::from(task.clone()), task }
    }
}

impl<F: Future> Future for InTurns<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let Self { work, task, waker } = &mut *self;
        if IS_WORKING.get() {
            return work.as_mut().poll(cx);
        }
        if task.begin(cx.waker()).is_none() {
            return Poll::Pending;
        }
        let mut piece = Piece::begin(task);
        let polled = work.as_mut().poll(&mut Context::from_waker(waker));
        piece.is_all = polled.is_ready();
        polled
    }
}

impl<F> Drop for InTurns<F> {
    fn drop(&mut self) {
        self.task.end(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use tokio::{task::yield_now, time::timeout};
    use uuid::Uuid;

    type Log = Arc<Mutex<Vec<&'static str>>>;

    fn host(name: &'static str) -> Party {
        Party::Host(name.into())
    }

    fn pieces_of(
        processor: &Arc<Processor>,
        log: &Log,
        party: Party,
        name: &'static str,
    ) -> InTurns<impl Future<Output = ()> + use<>> {
        let log = log.clone();
        InTurns::at(processor.clone(), party, async move {
            for _ in 0..3 {
                lock(&log).push(name);
                ready_at_once().await;
            }
        })
    }

    /// Ends a piece of work, and is immediately ready for the next.
    async fn ready_at_once() {
        let mut was_polled = false;
        poll_fn(|cx| {
            if std::mem::replace(&mut was_polled, true) {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    #[tokio::test]
    async fn parties_take_turns_piece_by_piece() {
        let (processor, log) = (Processor::new(1), Log::default());
        let parties = HashMap::from([("noisy", Uuid::from_u128(1)), ("quiet", Uuid::from_u128(2))]);
        let of = |name| pieces_of(&processor, &log, parties[name].into(), name);
        let noisy = (0..10).map(|_| tokio::spawn(of("noisy"))).collect::<Vec<_>>();
        let quiet = tokio::spawn(of("quiet"));
        for task in noisy.into_iter().chain([quiet]) {
            task.await.expect("it ends");
        }
        let log = lock(&log);
        assert_eq!(log.len(), 33);
        let last = log.iter().rposition(|name| *name == "quiet").expect("it worked");
        assert!(last < 10 + 3 * 2, "{last} pieces went before: {log:?}");
        assert_eq!(lock(&processor.state).working, 0);
    }

    #[tokio::test]
    async fn strangers_have_one_turn_together() {
        let (processor, log) = (Processor::new(1), Log::default());
        let of = |party: Party, name| pieces_of(&processor, &log, party, name);
        let strangers = (0..20).map(|number| of(Party::Host(format!("192.0.2.{number}")), "stranger"));
        let mut tasks = strangers.map(tokio::spawn).collect::<Vec<_>>();
        tasks.push(tokio::spawn(of(Uuid::from_u128(1).into(), "member")));
        for task in tasks {
            task.await.expect("it ends");
        }
        let log = lock(&log);
        let last = log.iter().rposition(|name| *name == "member").expect("it worked");
        assert!(last < 20 + 3 * 2, "{last} pieces went before: {log:?}");
    }

    #[tokio::test]
    async fn who_waits_for_something_else_holds_nothing() {
        let processor = Processor::new(1);
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let waits = tokio::spawn(InTurns::at(processor.clone(), host("waits"), receiver));
        yield_now().await;
        InTurns::at(processor.clone(), host("works"), yield_now()).await;
        sender.send(7).expect("it is waited for");
        assert_eq!(waits.await.expect("it ends"), Ok(7));
    }

    #[tokio::test]
    async fn what_is_within_work_is_part_of_it() {
        let processor = Processor::new(1);
        let inner = InTurns::at(processor.clone(), host("inner"), async {
            yield_now().await;
            7
        });
        let outer = InTurns::at(processor.clone(), host("outer"), inner);
        assert_eq!(timeout(Duration::from_secs(5), outer).await, Ok(7));
    }

    #[tokio::test]
    async fn a_turn_is_given_back_when_its_work_is_dropped_or_panics() {
        let processor = Processor::new(1);
        let panics = InTurns::at(processor.clone(), host("panics"), async { panic!("on purpose") });
        assert!(tokio::spawn(panics).await.is_err());
        let waits = tokio::spawn(InTurns::at(processor.clone(), host("waits"), std::future::pending::<()>()));
        yield_now().await;
        waits.abort();
        assert!(waits.await.is_err_and(|error| error.is_cancelled()));
        assert_eq!(lock(&processor.state).working, 0);
    }

    #[tokio::test]
    async fn a_turn_that_nobody_takes_goes_to_others() {
        let processor = Processor::new(1);
        let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
        let mut sleeper = Box::pin(InTurns::at(processor.clone(), host("sleeper"), receiver));
        assert!(timeout(Duration::ZERO, &mut sleeper).await.is_err());
        // It is called now, but not polled.
        sender.send(()).expect("it is waited for");
        assert_eq!(lock(&processor.state).working, 1);
        let others = async {
            while timeout(PATIENCE, InTurns::at(processor.clone(), host("other"), yield_now())).await.is_err()
            {
            }
        };
        timeout(Duration::from_secs(5), others).await.expect("others go on");
        sleeper.await.expect("it goes on without a turn");
        assert_eq!(lock(&processor.state).working, 0);
    }
}
