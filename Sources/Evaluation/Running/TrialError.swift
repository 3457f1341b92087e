import AudioIO
import Corpora
import Degradations
import Matchers

/// An error of one trial, which its record holds.
///
/// Any other error while a trial is run is a failure of the judge or the machine. It ends the run, and nothing of the
/// trial is stored.
package struct TrialError: Error, CustomStringConvertible, Sendable {
    package enum Cause: Sendable {
        /// The query's format does not exist at its rate.
        case notOffered
        /// The query cannot be made from its recording.
        case notMade
        /// The matcher failed, or its answer is impossible.
        case matcher
        /// The machine disturbed the matcher.
        case machine
    }

    package let cause: Cause
    package let description: String

    package init(_ cause: Cause, _ description: String) {
        self.cause = cause
        self.description = description
    }

    /// Makes a query; a degradation that cannot be applied is an error of the trial.
    package static func making<T>(_ make: () throws -> T) throws -> T {
        do { return try make() } catch let error as DegradationError {
            throw TrialError(error.code == .notOffered ? .notOffered : .notMade, "\(error)")
        }
    }

    /// Asks the matcher; whatever it throws but `MachineError` and `NotMeasured` is its failure.
    package static func asking<T>(_ ask: () throws -> T) throws -> T {
        do { return try ask() } catch let error as MachineError { throw error } catch let error as NotMeasured
        {
            throw TrialError(.machine, error.description)
        } catch {
            throw TrialError(.matcher, "\(error)")
        }
    }
}

extension Error {
    /// Whether the judge, the corpus or the machine failed, so that no matcher is to blame.
    package var isFailureOfJudge: Bool {
        self is MachineError || self is NotMeasured || self is StoreError || self is CorpusError
            || self is AudioFileError
    }
}
